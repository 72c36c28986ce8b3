package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"golang.org/x/sync/errgroup"
)

// Fill puts the keys 0 to keys-1 of the folder, once per cluster.
func (b *Bench) Fill(folder string, keys, size int) error {
	if b.filled[folder] {
		return nil
	}
	b.filled[folder] = true
	conn, err := dial(b.Endpoints[0])
	if err != nil {
		return err
	}
	defer conn.Close()
	perTxn := max(1, min(100, 1_000_000/size))
	var filling errgroup.Group
	filling.SetLimit(8)
	random := rand.New(rand.NewPCG(uint64(keys), uint64(size)))
	for from := 0; from < keys; from += perTxn {
		txn := &pb.TxnRequest{}
		for i := from; i < min(keys, from+perTxn); i++ {
			put := &pb.PutRequest{Key: key(folder, i), Value: value(size, random)}
			txn.Success = append(txn.Success, &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: put}})
		}
		filling.Go(func() error {
			_, err := pb.NewKVClient(conn).Txn(context.Background(), txn)
			return err
		})
	}
	if err := filling.Wait(); err != nil {
		return fmt.Errorf("filling %s: %w", folder, err)
	}
	return nil
}

// PutEach puts total times, one key after the other of the folder's, by 100 clients and in separate
// requests, so that each is a revision and a log entry of its own.
func (b *Bench) PutEach(folder string, total int64, keys int) (Histogram, error) {
	var counter atomic.Int64
	load := closedLoop(100, func(i int) Source {
		return sequential{putSource(folder, keys, seeded(i)).(*keyed), &counter}
	})
	load.Total = total
	run, err := StartLoad(b.Endpoints, load)
	if err != nil {
		return Histogram{}, err
	}
	run.Measure()
	latency, _, err := run.Wait()
	if err != nil {
		return latency, fmt.Errorf("putting %d times in %s: %w", total, folder, err)
	}
	return latency, nil
}
