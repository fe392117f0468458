package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

const (
	echoMethod   = "/bench.Echo/Echo"
	sizeBytes    = 4 // an echo request starts with the length of its response
	startTimeout = 15 * time.Second
	callTimeout  = 60 * time.Second
)

// service is the measured rules service with its connections.
type service struct {
	pid   int
	conns []*grpc.ClientConn
}

// dial opens the connections and waits until the service responds.
func dial(p plan) (*service, error) {
	s := &service{pid: p.pid}
	for range p.connections {
		conn, err := grpc.NewClient(p.addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy())
		if err != nil {
			return nil, fmt.Errorf("address %q is invalid: %w", p.addr, err)
		}
		s.conns = append(s.conns, conn)
		if err := firstEcho(conn); err != nil {
			return nil, fmt.Errorf("no response from a service at %s: %w", p.addr, err)
		}
	}
	return s, nil
}

func firstEcho(conn *grpc.ClientConn) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	return invokeEcho(ctx, conn, sizes{sizeBytes, 1}, grpc.WaitForReady(true))
}

func (s *service) close() {
	for _, conn := range s.conns {
		_ = conn.Close()
	}
}

// conn returns the connection of a match.
func (s *service) conn(index int) *grpc.ClientConn {
	return s.conns[index%len(s.conns)]
}

func (s *service) client(index int) pb.MatchHandlerServiceClient {
	return pb.NewMatchHandlerServiceClient(s.conn(index))
}

// sizes has the lengths of the request and of the response of one call, in bytes.
type sizes struct{ request, response int }

// echo makes a call with the given sizes that the service answers without other work.
func (s *service) echo(index int, size sizes) error {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	return invokeEcho(ctx, s.conn(index), size)
}

// loop makes one MatchLoop call.
func (s *service) loop(index int, request *pb.MatchLoopRequest) (*pb.MatchLoopResponse, sizes, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	response, err := s.client(index).MatchLoop(ctx, request)
	return response, sizes{proto.Size(request), proto.Size(response)}, err
}

// single returns a function that makes single calls over one connection.
func (s *service) single(index int) loopCall {
	return func(request *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
		response, _, err := s.loop(index, request)
		return response, err
	}
}

// batch makes MatchLoop calls of several matches in one RPC. All calls must succeed.
func (s *service) batch(index int, requests []*pb.MatchLoopRequest) ([]*pb.MatchLoopResponse, sizes, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	request := &pb.MatchBatchRequest{Calls: requests}
	response, err := s.client(index).MatchBatch(ctx, request)
	if err != nil {
		return nil, sizes{}, err
	}
	responses, err := batchResponses(response, len(requests))
	return responses, sizes{proto.Size(request), proto.Size(response)}, err
}

func batchResponses(response *pb.MatchBatchResponse, want int) ([]*pb.MatchLoopResponse, error) {
	responses := []*pb.MatchLoopResponse{}
	for _, result := range response.GetResults() {
		if failure := result.GetFailure(); failure != nil {
			return nil, fmt.Errorf("a call in a batch failed: %d %s", failure.Code, failure.Message)
		}
		responses = append(responses, result.GetResponse())
	}
	if len(responses) != want {
		return nil, fmt.Errorf("a batch of %d calls has %d responses", want, len(responses))
	}
	return responses, nil
}

func invokeEcho(ctx context.Context, conn *grpc.ClientConn, size sizes, options ...grpc.CallOption) error {
	request := make([]byte, max(size.request, sizeBytes))
	binary.BigEndian.PutUint32(request, uint32(size.response))
	var response []byte
	options = append(options, grpc.ForceCodecV2(rawCodec{}))
	if err := conn.Invoke(ctx, echoMethod, request, &response, options...); err != nil {
		return err
	}
	if len(response) != size.response {
		return fmt.Errorf("an echo returned %d bytes, want %d", len(response), size.response)
	}
	return nil
}

// rawCodec sends []byte without encoding.
type rawCodec struct{}

func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	data, ok := v.([]byte)
	if !ok {
		return nil, errors.New("only []byte can be sent")
	}
	return mem.BufferSlice{mem.SliceBuffer(data)}, nil
}

func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	into, ok := v.(*[]byte)
	if !ok {
		return errors.New("only []byte can be received")
	}
	*into = data.Materialize()
	return nil
}

func (rawCodec) Name() string { return "plain" }
