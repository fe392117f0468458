package effects

import (
	"google.golang.org/protobuf/encoding/protojson"
)

// Reason is why an effect was set aside.
type Reason string

// The reasons. An effect that was set aside because of Shutdown or Full is loaded again.
const (
	Rejected Reason = "rejected" // the database cannot store it
	Expired  Reason = "expired"  // it was not written before its expiry
	Full     Reason = "full"     // too many effects were in memory
	Shutdown Reason = "shutdown" // the server stopped first
)

// Reasons lists all reasons.
var Reasons = []Reason{Rejected, Expired, Full, Shutdown}

// forget deletes the file of an effect that has been written.
func (w *Worker) forget(e *entry) {
	w.saving.Lock()
	defer w.saving.Unlock()
	if err := w.folder.remove(e); err != nil {
		w.Logger.WithFields(map[string]any{"file": e.file, "error": err.Error()}).Error("set: saved effect not deleted")
	}
}

// setAside counts, logs and saves an effect that the worker no longer tries to write.
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
		// The log is the only place that still has the result; records are too large for it.
		fields["result"] = protojson.Format(result)
	}
	w.Logger.WithFields(fields).Error("set: effect set aside")
}
