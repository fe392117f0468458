package match

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/checkpoint"
	"setmatch/nakama/pb"
)

// revival is the grace period of a match after a restart of the server. The users join the match again with new connections. The
// leaves of their old connections follow then, or at the end of the period.
type revival struct {
	until      time.Time      // end of the period; zero: no period
	clockWaits bool           // the match clock is stopped until the first join or the end of the period
	joined     []*pb.Presence // old connections that had joined
	admitted   []*pb.Presence // old connections whose attempt was allowed, but that had not joined
}

// savedMatch is a match of an earlier process.
type savedMatch struct {
	*pb.Checkpoint
	saver *saver
	end   time.Time // the last sign of life of that process
}

// Revive recreates the saved matches of this node under their match ids.
func (s *Shared) Revive(ctx context.Context, nk runtime.NakamaModule) error {
	rows, err := s.Saves.Rows(ctx)
	read := s.now()
	for _, row := range rows {
		if err == nil {
			saved := &savedMatch{Checkpoint: row.Checkpoint, saver: &saver{effects: row.Checkpoint.Effects}, end: read.Add(-row.Age())}
			err = s.Saves.Revive(ctx, row, saved.saver.lose, func(entry *checkpoint.Entry) error {
				saved.saver.entry = entry
				return s.recreate(ctx, nk, saved)
			})
		}
	}
	return err
}

// recreate creates a saved match again, if it has not ended, and writes its effects.
func (s *Shared) recreate(ctx context.Context, nk runtime.NakamaModule, saved *savedMatch) error {
	if saved.Ended {
		saved.saver.update(matchImage{id: saved.MatchId, unixMs: saved.UnixTimeMs, ended: true})
	} else {
		id, creation := s.creations.add(Params{})
		defer s.creations.remove(id)
		creation.saved = saved
		err := checkpoint.Recreate(saved.MatchId, func() (string, error) {
			return nk.MatchCreate(ctx, Module, map[string]any{"creation": id})
		})
		if err != nil {
			return err
		}
	}
	s.Effects.Add(saved.saver, saved.Effects)
	return nil
}

// revivedMatch returns a saved match. It makes no call, because the connections to the rules service are not ready yet.
func (s *Shared) revivedMatch(ctx context.Context, logger runtime.Logger, saved *savedMatch) (*matchState, error) {
	m := s.emptyMatch(ctx, logger)
	if saved.JudgeOnArrival {
		if err := m.openInbox(); err != nil {
			return nil, err
		}
	}
	m.saver, m.tickOffset, m.lastTick = saved.saver, saved.LastTick+1, saved.LastTick
	m.service.notices, m.service.rescueCollection, m.creatorID = saved.Notices, saved.RescueCollection, saved.CreatorId
	m.service.state, m.service.wakeAtMs, m.calls.answeredMs = saved.State, saved.WakeAtMs, saved.AnsweredMs
	m.service.label, m.service.tickRate = saved.Label, saved.TickRate
	m.service.record.restore(saved.RecordLines, int(saved.MissingRecordLines))
	m.clock = stoppedClock(saved.clockAtEnd())
	m.lastDrain = drainTime{tick: saved.LastTick, ms: m.nowMs(), unixMs: s.now().UnixMilli()}
	m.revival.clockWaits = true
	m.revival.until = s.now().Add(s.timing.revivalGrace + rand.N(s.timing.revivalSpread+1))
	for _, item := range saved.Queue {
		m.queue.push(toItem(item))
	}
	m.register()
	m.restoreUsers(saved)
	m.changed = true
	m.finish()
	return m, nil
}

// clockAtEnd returns the match clock at the end of the earlier process, in milliseconds.
func (s *savedMatch) clockAtEnd() int64 {
	if s.ClockStopped {
		return s.ClockMs
	}
	return s.ClockMs + max(s.end.UnixMilli()-s.UnixTimeMs, 0)
}

func (m *matchState) restoreUsers(saved *savedMatch) {
	for _, connection := range saved.Connections {
		if connection.Joined {
			m.revival.joined = append(m.revival.joined, connection.Presence)
			m.shared.Members.Join(m.id, connection.Presence.GetUserId())
		} else {
			m.revival.admitted = append(m.revival.admitted, connection.Presence)
		}
	}
	for _, reservation := range saved.Reservations {
		m.shared.Members.Reserve(m.id, reservation.UserId, time.UnixMilli(reservation.UntilUnixMs))
	}
}

// rejoin queues the leaves of a user's old connections after the join of a new one, and continues the match clock.
func (m *matchState) rejoin(user string) {
	m.continueClock()
	m.revival.joined = slices.DeleteFunc(slices.Clone(m.revival.joined), func(old *pb.Presence) bool {
		if old.UserId == user {
			m.leaveOld(old, pb.LeaveReason_LEAVE_REASON_DISCONNECTED)
		}
		return old.UserId == user
	})
}

// checkRevival ends the grace period of a revived match when its time is over.
func (m *matchState) checkRevival() {
	if m.revival.until.IsZero() || m.shared.now().Before(m.revival.until) {
		return
	}
	m.continueClock()
	for _, old := range m.revival.joined {
		m.leaveOld(old, pb.LeaveReason_LEAVE_REASON_DISCONNECTED)
		if !m.isConnected(old.UserId) {
			m.shared.Members.Disconnect(m.id, old.UserId)
		}
	}
	for _, old := range m.revival.admitted {
		m.leaveOld(old, pb.LeaveReason_LEAVE_REASON_NEVER_JOINED)
	}
	m.revival = revival{}
}

func (m *matchState) leaveOld(old *pb.Presence, reason pb.LeaveReason) {
	m.changed = true
	m.queue.leave(&pb.Leave{Presence: old, Reason: reason, LeftMs: m.nowMs()})
}

// continueClock ends the wait of the match clock after a revival. In an outage the clock stays stopped until the end of the outage.
func (m *matchState) continueClock() {
	if !m.revival.clockWaits {
		return
	}
	m.changed, m.revival.clockWaits = true, false
	m.resumeClock()
}

// resumeClock starts the match clock unless something stops it.
func (m *matchState) resumeClock() {
	if !m.outage.Down && !m.revival.clockWaits {
		m.clock.resume(m.shared.now())
	}
}
