// Bboltcheck reads and writes bbolt files with the real library, so that a test can compare them
// with ours.
//
//	bboltcheck dump FILE     check the file's consistency and print what it holds
//	bboltcheck write FILE    make a file: many commits, deletions, large values, inline buckets
//
// Printed, one line each: "bucket NAME", then per pair "KEYHEX LENGTH SHA256".
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"

	bolt "go.etcd.io/bbolt"
)

func main() {
	switch command, file := os.Args[1], os.Args[2]; command {
	case "dump":
		dump(file)
	case "write":
		write(file, len(os.Args) > 3 && os.Args[3] == "nofreelist")
		dump(file)
	default:
		check(fmt.Errorf("unknown command %q", command))
	}
}

func dump(file string) {
	db, err := bolt.Open(file, 0o600, &bolt.Options{ReadOnly: true, PreLoadFreelist: true})
	check(err)
	defer db.Close()
	check(db.View(func(tx *bolt.Tx) error {
		for problem := range tx.Check() {
			return problem
		}
		return tx.ForEach(func(name []byte, bucket *bolt.Bucket) error {
			fmt.Printf("bucket %s\n", name)
			return bucket.ForEach(func(key, value []byte) error {
				_, err := fmt.Printf("%x %d %x\n", key, len(value), sha256.Sum256(value))
				return err
			})
		})
	}))
}

func write(file string, noFreelistSync bool) {
	db, err := bolt.Open(file, 0o600, &bolt.Options{NoFreelistSync: noFreelistSync, PageSize: 4096})
	check(err)
	key := func(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
	for round := range 20 {
		check(db.Update(func(tx *bolt.Tx) error {
			for _, name := range []string{"alarm", "empty", "key", "meta"} {
				if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
					return err
				}
			}
			bucket := tx.Bucket([]byte("key"))
			for n := round * 300; n < (round+1)*300; n++ {
				length := n % 200
				if n%100 == 0 {
					length = n * 7
				}
				if err := bucket.Put(key(n), bytes.Repeat([]byte{byte(n)}, length)); err != nil {
					return err
				}
			}
			for n := 0; n < round*300; n += 13 + round {
				if err := bucket.Delete(key(n)); err != nil {
					return err
				}
			}
			return tx.Bucket([]byte("meta")).Put([]byte("consistent_index"), key(round))
		}))
	}
	check(db.Close())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
