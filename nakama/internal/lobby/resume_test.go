package lobby

import "testing"

func TestResumeListsLiveMatchesOfCaller(t *testing.T) {
	r, l := newLobby(t)
	l.Members.Add("match", "creator")
	l.Members.Join("match", "ann")
	l.Members.Disconnect("match", "ann")
	for user, want := range map[string]string{
		"ann": `{"matches":[{"matchId":"match"}]}`, "creator": `{"matches":[{"matchId":"match"}]}`, "stranger": `{"matches":[]}`,
	} {
		if got, err := l.resume(asUser(user), r.logger, nil, r.nakama, ""); err != nil || got != want {
			t.Errorf("%s: got %s, %v", user, got, err)
		}
	}
	_, err := l.resume(t.Context(), r.logger, nil, r.nakama, "")
	wantCode(t, err, 7)
}
