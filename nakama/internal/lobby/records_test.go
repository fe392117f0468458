package lobby

import (
	"fmt"
	"testing"

	"github.com/heroiclabs/nakama-common/api"

	"setmatch/nakama/internal/effects"
)

const someKey = "20261130.0123456789abcdef0123456789abcdef"

func TestRecordIsReadByKey(t *testing.T) {
	r, l := newLobby(t)
	r.nakama.Objects[effects.RecordCollection] = []*api.StorageObject{{Key: someKey, Value: `{"format":1}`}}
	text, err := l.record(asUser("ann"), r.logger, nil, r.nakama, `{"recordKey":"`+someKey+`"}`)
	if err != nil || text != `{"format":1}` {
		t.Errorf("got %s, %v", text, err)
	}
}

func TestRecordErrors(t *testing.T) {
	r, l := newLobby(t)
	for _, payload := range []string{
		"", "{}", "[]", `{"recordKey":1}`, `{"recordKey":""}`, `{"recordKey":"match.node-rescue"}`,
		`{"recordKey":"` + someKey + `0"}`, `{"recordKey":"20261130.ABCDEF"}`,
	} {
		_, err := l.record(asUser("ann"), r.logger, nil, r.nakama, payload)
		wantCode(t, err, 3)
	}
	_, err := l.record(asUser("ann"), r.logger, nil, r.nakama, `{"recordKey":"`+someKey+`"}`)
	wantCode(t, err, 5)
	r.nakama.ReadErr = fmt.Errorf("scripted: database unavailable")
	_, err = l.record(asUser("ann"), r.logger, nil, r.nakama, `{"recordKey":"`+someKey+`"}`)
	wantCode(t, err, 14)
	if err.Error() != "UNAVAILABLE: the record cannot be read, try again" {
		t.Errorf("got %q", err)
	}
}
