package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/protobuf/proto"
)

const (
	methodPut       = "/etcdserverpb.KV/Put"
	methodRange     = "/etcdserverpb.KV/Range"
	methodTxn       = "/etcdserverpb.KV/Txn"
	methodKeepAlive = "/etcdserverpb.Lease/LeaseKeepAlive"
	methodWatch     = "/etcdserverpb.Watch/Watch"
)

// Keys are 32 bytes, or longer for a long folder: the padded folder and a number. Values are random bytes, which no layer can compress.
const (
	keyBytes   = 32
	keyDigits  = 12
	valueBytes = 256
)

const padding = "-------------------" // as long as a folder is in a key of 32 bytes, without the slash

func key(folder string, number int) []byte {
	return fmt.Appendf(nil, "%s/%0*d", folder+padding[min(len(folder), len(padding)):], keyDigits, number)
}

// folderRange is the half-open range of all keys of a folder.
func folderRange(folder string) (from, to []byte) {
	return key(folder, 0), key(folder, 999_999_999_999)
}

func value(size int, random *rand.Rand) []byte {
	v := make([]byte, size)
	for i := range v {
		v[i] = byte(random.Uint32())
	}
	return v
}

// framed is the message with gRPC's five bytes in front.
func framed(m proto.Message) []byte {
	body, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	out := make([]byte, 5, 5+len(body))
	binary.BigEndian.PutUint32(out[1:], uint32(len(body)))
	return append(out, body...)
}

// Source makes the requests of one client. The bytes it returns are reused by its next call.
type Source interface {
	Next() (method string, message []byte)
}

// keyed is a pre-built request whose keys' numbers are rewritten for each call.
type keyed struct {
	method  string
	message []byte
	numbers []int // where the digits of a key begin
	keys    int   // numbers are drawn from [0, keys)
	random  *rand.Rand
}

// newKeyed finds the keys in the request by their folders. A request for which no folder is named is
// sent as it is each time.
func newKeyed(method string, m proto.Message, keys int, random *rand.Rand, folders ...string) *keyed {
	k := &keyed{method: method, message: framed(m), keys: keys, random: random}
	for _, folder := range folders {
		at := bytes.Index(k.message, key(folder, 0))
		k.numbers = append(k.numbers, at+len(key(folder, 0))-keyDigits)
	}
	return k
}

func (k *keyed) Next() (string, []byte) {
	for _, at := range k.numbers {
		k.number(at, k.random.IntN(k.keys))
	}
	return k.method, k.message
}

// number writes a key's digits, which begin at the offset.
func (k *keyed) number(at, n int) {
	for i := at + keyDigits - 1; i >= at; i-- {
		k.message[i] = byte('0' + n%10)
		n /= 10
	}
}

// sequential is a request of one key whose number goes up, over all clients that share the counter.
type sequential struct {
	*keyed
	counter *atomic.Int64
}

func (s sequential) Next() (string, []byte) {
	s.number(s.numbers[0], int(s.counter.Add(1)-1)%s.keys)
	return s.method, s.message
}

// mixed draws from first with the share given, else from second.
type mixed struct {
	first, second Source
	share         float64
	random        *rand.Rand
}

func (m *mixed) Next() (string, []byte) {
	if m.random.Float64() < m.share {
		return m.first.Next()
	}
	return m.second.Next()
}

func putSource(folder string, keys int, random *rand.Rand) Source {
	put := &pb.PutRequest{Key: key(folder, 0), Value: value(valueBytes, random)}
	return newKeyed(methodPut, put, keys, random, folder)
}

func getSource(folder string, keys int, serializable bool, random *rand.Rand) Source {
	get := &pb.RangeRequest{Key: key(folder, 0), Serializable: serializable}
	return newKeyed(methodRange, get, keys, random, folder)
}

func listSource(folder string, limit int64) Source {
	from, to := folderRange(folder)
	return newKeyed(methodRange, &pb.RangeRequest{Key: from, RangeEnd: to, Limit: limit}, 0, nil)
}

// txnSource makes transactions of four puts. Each goes to a folder of its own, because a transaction
// may not put one key twice.
func txnSource(folder string, keys int, random *rand.Rand) Source {
	txn := &pb.TxnRequest{}
	var folders []string
	for part := range 4 {
		folders = append(folders, fmt.Sprint(folder, part))
		put := &pb.PutRequest{Key: key(folders[part], 0), Value: value(valueBytes, random)}
		txn.Success = append(txn.Success, &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: put}})
	}
	return newKeyed(methodTxn, txn, keys/4, random, folders...)
}

func keepAliveSource(lease int64) Source {
	return newKeyed(methodKeepAlive, &pb.LeaseKeepAliveRequest{ID: lease}, 0, nil)
}
