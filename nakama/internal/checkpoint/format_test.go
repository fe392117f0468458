package checkpoint

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

// full returns a checkpoint in which every field is set.
func full() *pb.Checkpoint {
	presence := &pb.Presence{UserId: "u", SessionId: "s", Node: "n", Username: "Ann"}
	return &pb.Checkpoint{
		MatchId: match1, UnixTimeMs: 1, State: []byte{0, 255}, WakeAtMs: proto.Int64(0), ClockMs: 2, ClockStopped: true, JudgeOnArrival: true, AnsweredMs: 3, LastTick: 4,
		TickRate: 20, Label: `{"open":1}`, Ended: true, Notices: &pb.Notices{Paused: &pb.Message{OpCode: 5}},
		RescueCollection: "rescue", CreatorId: "u", Reservations: []*pb.Reservation{{UserId: "v", UntilUnixMs: 6}},
		Connections: []*pb.Connection{{Presence: presence, Joined: true}, {Presence: presence}},
		Queue: []*pb.QueueItem{
			{Kind: &pb.QueueItem_Input{Input: &pb.Input{Tick: 7, Data: []byte("{}")}}, Failures: 2},
			{Kind: &pb.QueueItem_Join{Join: presence}},
			{Kind: &pb.QueueItem_Leave{Leave: &pb.Leave{Presence: presence, LeftMs: 8}}},
		},
		RecordLines: [][]byte{[]byte(`{"a":1}`)}, MissingRecordLines: 10,
		Effects: []*pb.Effect{{Kind: &pb.Effect_StorageWrite{StorageWrite: &pb.StorageWrite{Key: "k"}}, ExpiresUnixMs: 11}},
	}
}

func TestEveryFieldSurvivesTheRoundTrip(t *testing.T) {
	want := full()
	fields := want.ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		if !want.ProtoReflect().Has(fields.Get(i)) {
			t.Errorf("the test does not set %s", fields.Get(i).Name())
		}
	}
	data, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(data)
	if err != nil || !proto.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestEveryChangedByteIsDetected(t *testing.T) {
	data, err := Encode(full())
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		damaged := append([]byte(nil), data...)
		damaged[i] ^= 1
		want := ErrCorrupted
		if i == 0 {
			want = ErrFormat
		}
		if _, err := Decode(damaged); !errors.Is(err, want) {
			t.Errorf("byte %d: got %v", i, err)
		}
		if _, err := Decode(data[:i]); !errors.Is(err, ErrCorrupted) {
			t.Errorf("first %d bytes: got %v", i, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	data, _ := Encode(full())
	f.Add(data)
	f.Add([]byte{format})
	f.Fuzz(func(t *testing.T, data []byte) {
		checkDecode(t, data)
		checkDecode(t, withHeader(data)) // passes the checksum
	})
}

func withHeader(body []byte) []byte {
	data := binary.BigEndian.AppendUint32([]byte{format}, crc32.Checksum(body, castagnoli))
	return append(data, body...)
}

// checkDecode checks that data is either refused with one of the two errors, or a message that can be encoded again.
func checkDecode(t *testing.T, data []byte) {
	message, err := Decode(data)
	if err != nil {
		if message != nil || !errors.Is(err, ErrFormat) && !errors.Is(err, ErrCorrupted) {
			t.Errorf("got %v, %v", message, err)
		}
		return
	}
	again, err := Encode(message)
	if err != nil {
		t.Fatal(err)
	}
	if decoded, err := Decode(again); err != nil || !proto.Equal(decoded, message) {
		t.Errorf("got %v, %v", decoded, err)
	}
}
