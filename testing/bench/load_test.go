package main

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// stub is a gRPC server of the usual kind that checks what the generator sends.
type stub struct {
	pb.UnimplementedKVServer
	pb.UnimplementedWatchServer
	mu    sync.Mutex
	keys  map[string]int
	puts  atomic.Int64
	fail  bool
	reply []byte
}

func (s *stub) Put(_ context.Context, r *pb.PutRequest) (*pb.PutResponse, error) {
	if len(r.Value) != valueBytes {
		return nil, status.Errorf(codes.InvalidArgument, "value of %d bytes", len(r.Value))
	}
	s.mu.Lock()
	s.keys[string(r.Key)]++
	s.mu.Unlock()
	if s.puts.Add(1)%10 == 0 && s.fail {
		return nil, status.Error(codes.ResourceExhausted, "every tenth")
	}
	return &pb.PutResponse{Header: &pb.ResponseHeader{Revision: s.puts.Load()}}, nil
}

func (s *stub) Range(context.Context, *pb.RangeRequest) (*pb.RangeResponse, error) {
	return &pb.RangeResponse{Kvs: []*mvccpb.KeyValue{{Value: s.reply}}}, nil
}

// Watch confirms each watch and sends it three events.
func (s *stub) Watch(stream pb.Watch_WatchServer) error {
	for {
		request, err := stream.Recv()
		if err != nil {
			return nil
		}
		stream.Send(&pb.WatchResponse{Header: &pb.ResponseHeader{}, Created: true})
		value := make([]byte, valueBytes)
		stamp(value)
		event := &mvccpb.Event{Kv: &mvccpb.KeyValue{Key: request.GetCreateRequest().Key, Value: value}}
		stream.Send(&pb.WatchResponse{Header: &pb.ResponseHeader{}, Events: []*mvccpb.Event{event, event, event}})
	}
}

func serve(t *testing.T, s *stub) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.keys = map[string]int{}
	server := grpc.NewServer()
	pb.RegisterKVServer(server, s)
	pb.RegisterWatchServer(server, s)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func TestEveryOperationIsCountedOnce(t *testing.T) {
	s := &stub{}
	var counter atomic.Int64
	load := closedLoop(50, func(i int) Source { return sequential{putSource("put", 5_000, seeded(i)).(*keyed), &counter} })
	load.Total = 5_000
	run, err := StartLoad([]string{serve(t, s)}, load)
	if err != nil {
		t.Fatal(err)
	}
	run.Measure()
	latency, errors, err := run.Wait()
	if err != nil || errors != 0 || latency.total != 5_000 || s.puts.Load() != 5_000 || len(s.keys) != 5_000 {
		t.Errorf("%d measured, %d errors (%v), %d served, %d keys; want 5000 of each", latency.total, errors, err, s.puts.Load(), len(s.keys))
	}
}

func TestErrorsAreNoOperations(t *testing.T) {
	s := &stub{fail: true}
	load := closedLoop(10, func(i int) Source { return putSource("put", 100, seeded(i)) })
	load.Total = 1_000
	run, err := StartLoad([]string{serve(t, s)}, load)
	if err != nil {
		t.Fatal(err)
	}
	run.Measure()
	latency, errors, err := run.Wait()
	if err == nil || errors != 100 || latency.total != 900 {
		t.Errorf("%d measured, %d errors (%v); want 900, 100 and the error's text", latency.total, errors, err)
	}
}

func TestShortRepliesAreErrors(t *testing.T) {
	endpoint := serve(t, &stub{reply: make([]byte, 3<<20)})
	for _, wanted := range []int64{3 << 20, 4 << 20} {
		load := Load{Clients: 2, Conns: 2, Total: 20, ReplyBytes: wanted, Source: func(int) Source { return listSource("any", 0) }}
		run, err := StartLoad([]string{endpoint}, load)
		if err != nil {
			t.Fatal(err)
		}
		run.Measure()
		if _, errors, _ := run.Wait(); (errors > 0) != (wanted > 3<<20) {
			t.Errorf("replies of 3 MiB, %d bytes wanted: %d errors", wanted, errors)
		}
	}
}

func TestWatchersSeeEveryEventAndItsTime(t *testing.T) {
	watchers, err := StartWatchers([]string{serve(t, &stub{})}, WatchShape{
		Watches: 200, Streams: 20, Conns: 3,
		Request: func(i int) *pb.WatchCreateRequest { return &pb.WatchCreateRequest{Key: key("watch", i)} },
	})
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); watchers.events.Load() < 600 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if got, failure := watchers.events.Load(), watchers.Failure(); got != 600 || failure != nil {
		t.Errorf("%d events (%v), want 600", got, failure)
	}
	watchers.Close()

	value := make([]byte, valueBytes)
	stamp(value)
	event := &mvccpb.Event{Kv: &mvccpb.KeyValue{Key: []byte("k"), ModRevision: 7, Value: value}}
	raw := framed(&pb.WatchResponse{Events: []*mvccpb.Event{event}})
	if at, ok := sentAt(bytesField(raw[5:], 11)); !ok || at <= 0 || at > time.Since(epoch) {
		t.Errorf("time of sending read from an event: %v, %v", at, ok)
	}
}
