package effects

import (
	"context"

	"google.golang.org/protobuf/encoding/protojson"
)

// Reason is the reason why an effect was set aside.
type Reason string

// Reasons to set an effect aside. Effects with the reason Shutdown or Full are loaded and written later.
const (
	Rejected Reason = "rejected" // the database cannot store the effect
	Expired  Reason = "expired"  // the effect was not written before its expiry
	Full     Reason = "full"     // too many effects were in memory
	Shutdown Reason = "shutdown" // the server stopped before the effect was written
)

// Reasons lists all reasons.
var Reasons = []Reason{Rejected, Expired, Full, Shutdown}

// deleteFile deletes the file of a written effect.
func (w *Worker) deleteFile(e *entry) {
	w.saving.Lock()
	defer w.saving.Unlock()
	if err := w.folder.remove(e); err != nil {
		w.Logger.WithFields(map[string]any{"file": e.file, "error": err.Error()}).Error("set: saved effect not deleted")
	}
}

// release ends the duty of the owner, if there is one, to keep the effect.
func (e *entry) release() {
	if e.owner != nil {
		e.owner.Done(e.effect)
	}
}

// leave leaves an effect to its owner when the server stops, or sets it aside if the owner does not keep it.
func (w *Worker) leave(ctx context.Context, e *entry) {
	if e.owner != nil && (e.owner.Lost() || e.owner.Keeps(ctx)) {
		return
	}
	w.setAside(e, Shutdown, nil)
}

// setAside counts, logs and saves an effect that the worker does not write.
func (w *Worker) setAside(e *entry, reason Reason, cause error) {
	w.Meters.EffectSetAside(reason)
	fields := map[string]any{"target": describe(e.effect), "reason": string(reason)}
	if cause != nil {
		fields["error"] = cause.Error()
	}
	w.saving.Lock()
	defer w.saving.Unlock()
	if err := w.folder.save(e, reason, w.Now()); err != nil {
		fields["save error"] = err.Error()
	}
	if e.file != "" {
		fields["file"] = e.file
	} else if result := e.effect.GetLeaderboardWrite(); result != nil {
		// The log has the only copy of the result. Records are too large for the log.
		fields["result"] = protojson.Format(result)
	}
	w.Logger.WithFields(fields).Error("set: effect set aside")
	if e.file != "" || reason == Rejected || reason == Expired {
		e.release()
	}
}

// countFailure counts a failed attempt. It logs attempts 1, 2, 4, 8 and so on of each effect.
func (w *Worker) countFailure(e *entry, attempts int, err error) {
	w.Meters.EffectFailed()
	if attempts&(attempts-1) == 0 {
		w.Logger.WithFields(map[string]any{
			"target": describe(e.effect), "attempts": attempts, "error": err.Error(),
		}).Warn("set: effect not written, will retry")
	}
}
