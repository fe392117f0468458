package setmatch

import (
	"context"
	"database/sql"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/heroiclabs/nakama-common/rtapi"
	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/fake"
)

// fakeInitializer stores the names of everything that a plugin registers.
type fakeInitializer struct {
	runtime.Initializer
	names []string
}

type (
	rpcFunction = func(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule, string) (string, error)
	rtFunction  = func(
		context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule, *rtapi.Envelope) (*rtapi.Envelope, error)
)

func (i *fakeInitializer) add(name string) error {
	i.names = append(i.names, name)
	return nil
}

func (i *fakeInitializer) RegisterRpc(id string, _ rpcFunction) error { return i.add("rpc " + id) }

func (i *fakeInitializer) RegisterBeforeRt(id string, _ rtFunction) error {
	return i.add("before " + id)
}

func (i *fakeInitializer) RegisterMatch(
	name string, _ func(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule) (runtime.Match, error),
) error {
	return i.add("match " + name)
}

func (i *fakeInitializer) RegisterMatchmakerMatched(
	func(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule, []runtime.MatchmakerEntry) (string, error),
) error {
	return i.add("matchmaker")
}

func (i *fakeInitializer) RegisterShutdown(
	func(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule),
) error {
	return i.add("shutdown")
}

// initModule loads the plugin without a database.
func initModule(env map[string]string) (*fakeInitializer, *fake.Nakama, error) {
	env["SET_RULES_CHECKPOINT_MS"] = "0"
	ctx := context.WithValue(context.Background(), runtime.RUNTIME_CTX_ENV, env) //nolint:staticcheck // Nakama's key
	i, n := &fakeInitializer{}, fake.NewNakama()
	err := Register(ctx, fake.NewLogger(), nil, n, i)
	slices.Sort(i.names)
	return i, n, err
}

var allRegistrations = []string{
	"before MatchCreate", "before MatchDataSend", "before MatchJoin", "before MatchmakerAdd", "before PartyMatchmakerAdd", "match set", "matchmaker",
	"rpc set_create_match", "rpc set_find_match", "rpc set_record", "rpc set_resume", "rpc set_signal", "shutdown",
}

func TestPluginRegistersEverythingWithoutTheService(t *testing.T) {
	i, _, err := initModule(map[string]string{"SET_RULES_ADDR": "127.0.0.1:1"})
	if err != nil || !reflect.DeepEqual(i.names, allRegistrations) {
		t.Errorf("registered %q, %v", i.names, err)
	}
}

func TestRelayedMatchesCanBeAllowed(t *testing.T) {
	i, _, err := initModule(map[string]string{"SET_RULES_ALLOW_RELAYED": "1"})
	if err != nil || !reflect.DeepEqual(i.names, allRegistrations[1:]) {
		t.Errorf("registered %q, %v", i.names, err)
	}
}

func TestInvalidSettingStopsPluginLoading(t *testing.T) {
	i, _, err := initModule(map[string]string{"SET_RULES_CONNECTIONS": "0"})
	if err == nil || !strings.Contains(err.Error(), "SET_RULES_CONNECTIONS") || len(i.names) > 0 {
		t.Errorf("registered %q, %v", i.names, err)
	}
}
