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
	sizeBytes    = 4 // an echo's request begins with the length of the answer that it wants
	startTimeout = 15 * time.Second
	callTimeout  = 60 * time.Second
)

// service is the service under measurement and the connections to it.
type service struct {
	pid   int
	conns []*grpc.ClientConn
}

// dial connects, and waits until the service answers.
func dial(p plan) (*service, error) {
	s := &service{pid: p.pid}
	for range p.connections {
		conn, err := grpc.NewClient(p.addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy())
		if err != nil {
			return nil, fmt.Errorf("address %q cannot be used: %w", p.addr, err)
		}
		s.conns = append(s.conns, conn)
		if err := firstEcho(conn); err != nil {
			return nil, fmt.Errorf("no service answers at %s: %w", p.addr, err)
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

// conn spreads matches over the connections.
func (s *service) conn(place int) *grpc.ClientConn {
	return s.conns[place%len(s.conns)]
}

func (s *service) client(place int) pb.MatchHandlerServiceClient {
	return pb.NewMatchHandlerServiceClient(s.conn(place))
}

// sizes are the lengths of one call's request and answer, in bytes.
type sizes struct{ request, answer int }

// echo makes a call of these sizes in which the service has nothing to do.
func (s *service) echo(place int, like sizes) error {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	return invokeEcho(ctx, s.conn(place), like)
}

// loop makes one MatchLoop call.
func (s *service) loop(place int, request *pb.MatchLoopRequest) (*pb.MatchLoopResponse, sizes, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	response, err := s.client(place).MatchLoop(ctx, request)
	return response, sizes{proto.Size(request), proto.Size(response)}, err
}

// alone makes calls by themselves, on one connection.
func (s *service) alone(place int) loopCall {
	return func(request *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
		response, _, err := s.loop(place, request)
		return response, err
	}
}

// batch makes the MatchLoop calls of several matches in one; all must succeed.
func (s *service) batch(place int, requests []*pb.MatchLoopRequest) ([]*pb.MatchLoopResponse, sizes, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	request := &pb.MatchBatchRequest{Calls: requests}
	response, err := s.client(place).MatchBatch(ctx, request)
	if err != nil {
		return nil, sizes{}, err
	}
	responses, err := allAnswered(response, len(requests))
	return responses, sizes{proto.Size(request), proto.Size(response)}, err
}

func allAnswered(response *pb.MatchBatchResponse, wanted int) ([]*pb.MatchLoopResponse, error) {
	responses := []*pb.MatchLoopResponse{}
	for _, result := range response.GetResults() {
		if failure := result.GetFailure(); failure != nil {
			return nil, fmt.Errorf("a call in a batch failed: %d %s", failure.Code, failure.Message)
		}
		responses = append(responses, result.GetResponse())
	}
	if len(responses) != wanted {
		return nil, fmt.Errorf("a batch of %d calls has %d answers", wanted, len(responses))
	}
	return responses, nil
}

func invokeEcho(ctx context.Context, conn *grpc.ClientConn, like sizes, options ...grpc.CallOption) error {
	request := make([]byte, max(like.request, sizeBytes))
	binary.BigEndian.PutUint32(request, uint32(like.answer))
	var answer []byte
	options = append(options, grpc.ForceCodecV2(plainBytes{}))
	if err := conn.Invoke(ctx, echoMethod, request, &answer, options...); err != nil {
		return err
	}
	if len(answer) != like.answer {
		return fmt.Errorf("an echo of %d bytes was asked for, %d came", like.answer, len(answer))
	}
	return nil
}

// plainBytes sends bytes as they are.
type plainBytes struct{}

func (plainBytes) Marshal(v any) (mem.BufferSlice, error) {
	data, ok := v.([]byte)
	if !ok {
		return nil, errors.New("only bytes are sent plainly")
	}
	return mem.BufferSlice{mem.SliceBuffer(data)}, nil
}

func (plainBytes) Unmarshal(data mem.BufferSlice, v any) error {
	into, ok := v.(*[]byte)
	if !ok {
		return errors.New("only bytes are received plainly")
	}
	*into = data.Materialize()
	return nil
}

func (plainBytes) Name() string { return "plain" }
