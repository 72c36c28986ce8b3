package main

import (
	"bytes"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/protobuf/proto"
)

func TestKeysHaveTheLengthTheyAreNamedFor(t *testing.T) {
	if n := len(key("put", 1)); n != keyBytes {
		t.Errorf("%d bytes", n)
	}
	if n := len(key(millionFolder, 1)); n != 40 {
		t.Errorf("%d bytes", n)
	}
}

func TestTransactionsPutFourKeysThatDiffer(t *testing.T) {
	source := txnSource("txn", 10_000, seeded(1))
	seen := map[string]bool{}
	for range 100 {
		_, message := source.Next()
		var txn pb.TxnRequest
		if err := proto.Unmarshal(message[5:], &txn); err != nil {
			t.Fatal(err)
		}
		for _, op := range txn.Success {
			seen[string(op.GetRequestPut().Key)] = true
		}
		if len(txn.Success) != 4 {
			t.Fatalf("%d operations", len(txn.Success))
		}
	}
	if len(seen) < 350 {
		t.Errorf("%d keys in 400 puts over 10,000", len(seen))
	}
}

func TestRewrittenKeysStayInTheirFolder(t *testing.T) {
	source := putSource(millionFolder, 500, seeded(2))
	from, to := folderRange(millionFolder)
	for range 1_000 {
		_, message := source.Next()
		var put pb.PutRequest
		if err := proto.Unmarshal(message[5:], &put); err != nil {
			t.Fatal(err)
		}
		if bytes.Compare(put.Key, from) < 0 || bytes.Compare(put.Key, key(millionFolder, 500)) >= 0 || bytes.Compare(put.Key, to) >= 0 {
			t.Fatalf("key %q", put.Key)
		}
	}
}
