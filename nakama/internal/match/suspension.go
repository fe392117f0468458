package match

import (
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
)

// noticeTime is the time between the last notice and the end of the server: Nakama closes the connections without waiting for
// messages that are not sent yet.
const noticeTime = 200 * time.Millisecond

// suspend stops a saved match because the server shuts down. The next process revives it. It delivers the queue if this is
// possible, saves the match and informs the players; the game does not end.
func (m *matchState) suspend(tick int64, d runtime.MatchDispatcher, graceSeconds int) {
	m.queue.endTick()
	m.deliver(tick, d)
	if m.ending.over {
		return
	}
	if m.saveNow(time.Duration(graceSeconds) * time.Second / 2) {
		m.notify(d, m.service.notices.Restarting)
		m.shared.noticeSent()
	}
	m.unlist()
}

// noticeSent stores the time of the last notice of a restart.
func (s *Shared) noticeSent() {
	s.lastNotice.Store(time.Now().UnixNano())
}

// afterNotices returns a channel that receives the time when the players have received the notices of a restart.
func (s *Shared) afterNotices() <-chan time.Time {
	sent := time.Unix(0, s.lastNotice.Load())
	return time.After(time.Until(sent.Add(noticeTime)))
}
