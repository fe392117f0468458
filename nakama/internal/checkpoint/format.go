package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

// The data of a row: one byte with the format version, the CRC-32C of the rest in four bytes, big endian, and the message
// checkpoint.v1.Checkpoint.
const (
	format     = 1
	headerSize = 5
)

var (
	// ErrFormat is returned for data in an unknown format.
	ErrFormat = errors.New("unknown format")
	// ErrCorrupted is returned for damaged data.
	ErrCorrupted = errors.New("damaged data")

	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// Encode returns the data of a row.
func Encode(message *pb.Checkpoint) ([]byte, error) {
	data := make([]byte, headerSize, headerSize+proto.Size(message))
	data, err := proto.MarshalOptions{}.MarshalAppend(data, message)
	if err != nil {
		return nil, err
	}
	data[0] = format
	binary.BigEndian.PutUint32(data[1:], crc32.Checksum(data[headerSize:], castagnoli))
	return data, nil
}

// Decode returns the message in the data of a row. Errors: ErrFormat, ErrCorrupted.
func Decode(data []byte) (*pb.Checkpoint, error) {
	switch {
	case len(data) < headerSize:
		return nil, fmt.Errorf("%w: %d bytes, at least %d are needed", ErrCorrupted, len(data), headerSize)
	case data[0] != format:
		return nil, fmt.Errorf("%w: %d, allowed is %d", ErrFormat, data[0], format)
	case binary.BigEndian.Uint32(data[1:]) != crc32.Checksum(data[headerSize:], castagnoli):
		return nil, fmt.Errorf("%w: wrong checksum", ErrCorrupted)
	}
	message := &pb.Checkpoint{}
	if err := proto.Unmarshal(data[headerSize:], message); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrCorrupted, err)
	}
	return message, nil
}
