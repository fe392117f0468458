package checkpoint

import (
	"errors"
	"sync"
	"testing"

	"github.com/gofrs/uuid/v5"
)

// createLikeNakama creates a match id as Nakama's match registry does.
func createLikeNakama() (string, error) {
	return uuid.Must(uuid.NewV4()).String() + ".n", nil
}

func TestMatchIsRecreatedUnderItsOldID(t *testing.T) {
	for _, match := range []string{match1, match2} {
		equal(t, "error", Recreate(match, createLikeNakama), error(nil))
	}
}

func TestAllOtherIDsStayRandom(t *testing.T) {
	equal(t, "error", Recreate(match2, createLikeNakama), error(nil)) // replaces the generator before the goroutines start
	var others []string
	err := Recreate(match1, func() (string, error) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			id, _ := createLikeNakama()
			others = append(others, id)
		}()
		<-done
		created, err := createLikeNakama()
		second, _ := createLikeNakama()
		others = append(others, second)
		return created, err
	})
	equal(t, "error", err, error(nil))
	after, _ := createLikeNakama()
	for _, id := range append(others, after) {
		if id == match1 {
			t.Error("another id is the chosen one")
		}
	}
}

func TestConcurrentRecreationsGetTheirOwnIDs(t *testing.T) {
	var group sync.WaitGroup
	for range 50 {
		match, _ := createLikeNakama()
		group.Go(func() { equal(t, "error", Recreate(match, createLikeNakama), error(nil)) })
	}
	group.Wait()
}

func TestRecreateFails(t *testing.T) {
	scripted := errors.New("scripted")
	for name, test := range map[string]struct {
		match  string
		create func() (string, error)
	}{
		"invalid id":       {"x.n", createLikeNakama},
		"creation failed":  {match1, func() (string, error) { return "", scripted }},
		"other id":         {match1, func() (string, error) { return match2, nil }},
		"other node":       {"0b7e6c5d-0000-4000-8000-000000000001.m", createLikeNakama},
		"no id was needed": {match1, func() (string, error) { return "", nil }},
	} {
		if Recreate(test.match, test.create) == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if id, _ := createLikeNakama(); id == match1 {
		t.Error("the choice outlived its recreation")
	}
}
