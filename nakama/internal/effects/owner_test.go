package effects

import (
	"context"
	"os"
	"testing"

	"setmatch/nakama/pb"
)

// fakeOwner counts the effects that are done.
type fakeOwner struct {
	keeps, lost bool
	done        chan *pb.Effect
}

func newOwner() *fakeOwner { return &fakeOwner{done: make(chan *pb.Effect, 10)} }

func (o *fakeOwner) Done(effect *pb.Effect)     { o.done <- effect }
func (o *fakeOwner) Keeps(context.Context) bool { return o.keeps }
func (o *fakeOwner) Lost() bool                 { return o.lost }

func TestOwnerIsReleasedAfterTheWrite(t *testing.T) {
	b, owner, effect := newTestWorker(t, ""), newOwner(), storing("a")
	b.sink.script = func(attempt int, _ string) error {
		if attempt < 3 {
			return errDatabase
		}
		return nil
	}
	b.Worker.Add(owner, []*pb.Effect{effect})
	if done := <-owner.done; done != effect || b.sink.attemptCount() != 3 {
		t.Errorf("released %v after %d attempts", done, b.sink.attemptCount())
	}
}

func TestOwnerIsReleasedIfTheEffectCannotBeWritten(t *testing.T) {
	b, owner := newTestWorker(t, ""), newOwner()
	b.sink.script = func(int, string) error { return errRejected }
	b.Worker.Add(owner, []*pb.Effect{storing("rejected by the database"), {}})
	<-owner.done
	<-owner.done
}

func TestOwnerKeepsEffectsAtTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		keeps       bool
		files, done int
	}{"kept": {true, 0, 0}, "not kept": {false, 2, 2}} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			b, owner := newTestWorker(t, folder), newOwner()
			owner.keeps = c.keeps
			b.sink.script = func(int, string) error { return errDatabase }
			b.blockPauses()
			b.Worker.Add(owner, []*pb.Effect{storing("a")})
			b.Stop(t.Context())
			b.Worker.Add(owner, []*pb.Effect{storing("b")})
			if files, _ := os.ReadDir(folder); len(files) != c.files || len(owner.done) != c.done {
				t.Errorf("%d files, %d released", len(files), len(owner.done))
			}
		})
	}
}

func TestOwnerKeepsEffectThatFitsNeitherMemoryNorFolder(t *testing.T) {
	for name, folder := range map[string]string{"no folder": "", "folder": t.TempDir()} {
		b, owner := newTestWorker(t, folder), newOwner()
		b.Worker.maxBytes = 1
		b.Worker.Add(owner, []*pb.Effect{storing("a")})
		if released := len(owner.done) == 1; released != (folder != "") {
			t.Errorf("%s: released %t", name, released)
		}
	}
}

func TestEffectsOfLostOwnerAreDropped(t *testing.T) {
	b, owner := newTestWorker(t, ""), newOwner()
	owner.lost = true
	b.Worker.Add(owner, []*pb.Effect{storing("a")})
	b.waitIdle()
	if b.sink.attemptCount() != 0 || len(owner.done) != 0 {
		t.Errorf("%d attempts, %d released", b.sink.attemptCount(), len(owner.done))
	}
}
