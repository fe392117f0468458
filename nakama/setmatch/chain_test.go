package setmatch

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"testing"

	"github.com/heroiclabs/nakama-common/rtapi"
	"github.com/heroiclabs/nakama-common/runtime"
)

// slots is an initializer with one slot for each hook, as in Nakama. A second registration for a slot is an error.
type slots struct {
	runtime.Initializer
	before   beforeHook
	matched  matchedHook
	shutdown shutdownHook
}

var errOccupied = errors.New("occupied")

func (s *slots) RegisterBeforeRt(_ string, hook beforeHook) error {
	if s.before != nil {
		return errOccupied
	}
	s.before = hook
	return nil
}

func (s *slots) RegisterMatchmakerMatched(hook matchedHook) error {
	if s.matched != nil {
		return errOccupied
	}
	s.matched = hook
	return nil
}

func (s *slots) RegisterShutdown(hook shutdownHook) error {
	if s.shutdown != nil {
		return errOccupied
	}
	s.shutdown = hook
	return nil
}

func envelope(cid string) *rtapi.Envelope { return &rtapi.Envelope{Cid: cid} }

// appending returns a hook that appends a text to the id of a message.
func appending(text string) beforeHook {
	return func(_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, in *rtapi.Envelope) (*rtapi.Envelope, error) {
		return envelope(in.Cid + text), nil
	}
}

// returning returns a hook with a fixed result.
func returning(out *rtapi.Envelope, err error) beforeHook {
	return func(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule, *rtapi.Envelope) (*rtapi.Envelope, error) {
		return out, err
	}
}

func TestChainedBeforeHooksPassTheMessageOn(t *testing.T) {
	failure := errors.New("scripted")
	for _, test := range []struct {
		name  string
		hooks []beforeHook
		want  string // id of the message; "none" for nil
		err   error
	}{
		{"each gets the message of the one before", []beforeHook{appending("a"), appending("b")}, "ab", nil},
		{"an error ends the chain", []beforeHook{returning(envelope("x"), failure), appending("b")}, "none", failure},
		{"nil ends the chain", []beforeHook{returning(nil, nil), appending("b")}, "none", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			nakama := &slots{}
			initializer := Chain(nakama)
			for i, hook := range test.hooks {
				if err := initializer.RegisterBeforeRt([]string{"MatchJoin", "matchjoin"}[i], hook); err != nil {
					t.Fatal(err)
				}
			}
			out, err := nakama.before(context.Background(), nil, nil, nil, envelope(""))
			got := "none"
			if out != nil {
				got = out.Cid
			}
			if got != test.want || err != test.err {
				t.Errorf("got %q, %v, want %q, %v", got, err, test.want, test.err)
			}
		})
	}
}

func TestFirstMatchOrErrorOfMatchedTicketsWins(t *testing.T) {
	failure := errors.New("scripted")
	for _, test := range []struct {
		name    string
		matches []string // returned by the hooks, "error" for an error
		want    string
		err     error
		ran     int
	}{
		{"none", []string{"", ""}, "", nil, 2},
		{"first", []string{"one", "two"}, "one", nil, 1},
		{"second", []string{"", "two"}, "two", nil, 2},
		{"error", []string{"error", "two"}, "", failure, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			nakama, ran := &slots{}, 0
			initializer := Chain(nakama)
			for _, match := range test.matches {
				hook := func(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule, []runtime.MatchmakerEntry) (string, error) {
					ran++
					if match == "error" {
						return "", failure
					}
					return match, nil
				}
				if err := initializer.RegisterMatchmakerMatched(hook); err != nil {
					t.Fatal(err)
				}
			}
			got, err := nakama.matched(context.Background(), nil, nil, nil, nil)
			if got != test.want || err != test.err || ran != test.ran {
				t.Errorf("got %q, %v after %d hooks, want %q, %v after %d", got, err, ran, test.want, test.err, test.ran)
			}
		})
	}
}

func TestAllShutdownHooksRunInOrder(t *testing.T) {
	nakama := &slots{}
	initializer := Chain(nakama)
	var ran []int
	for number := range 3 {
		hook := func(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule) { ran = append(ran, number) }
		if err := initializer.RegisterShutdown(hook); err != nil {
			t.Fatal(err)
		}
	}
	nakama.shutdown(context.Background(), nil, nil, nil)
	if !reflect.DeepEqual(ran, []int{0, 1, 2}) {
		t.Errorf("ran %v", ran)
	}
}
