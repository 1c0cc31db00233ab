package segment

import (
	"errors"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/telemetry"
	"github.com/uidgen/uid/internal/workerid"
)

var _ health.Reporter = (*Generator)(nil)

// Health says how the generator stands: see [health.Reporter].
func (g *Generator) Health() health.Health {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, now, buffered := &g.state, g.cfg.Now(), g.bufferedLocked()
	h := health.Health{
		Generator: "segment", Tag: g.source.Tag, Time: now, Buffered: buffered, Waiting: g.counts.waiting.Load(),
		Numbers: &health.Numbers{
			Drawn: s.newest, Step: s.step, Store: g.source.Store.Name(), Newest: s.taken,
			Left: g.cfg.Last - max(s.taken, g.cfg.First-1), Total: g.cfg.Last - g.cfg.First + 1,
			Low: workerid.Low(max(s.taken-g.cfg.First, 0), g.cfg.Last-g.cfg.First),
		},
		Counts: map[string]uint64{
			telemetry.Issued: g.issuedLocked(), telemetry.RejectedTakes: g.counts.rejectedTakes.Load(),
			telemetry.HandlerPanics: g.handlers.Panics(), telemetry.RenewalFailures: s.failedEver,
			telemetry.NumbersTaken: s.took, telemetry.Segments: s.times,
			telemetry.NumbersGivenBack: s.given, telemetry.NumbersDropped: s.dropped,
		},
	}
	if c := s.current; c != nil {
		h.Numbers.Drawn = c.Last - g.leftLocked()
	}
	h.Numbers.Lasts.Duration, _ = s.pace.lasts(now, h.Counts[telemetry.Issued], buffered)
	ended := s.ended
	if ended == nil && buffered == 0 {
		ended = g.enoughLocked()
	}
	if s.failed != nil {
		h.Failing = &health.Failing{Error: s.failed.Error(), Since: s.since, Attempts: int64(s.failures)}
		if ended == nil && buffered == 0 && errors.Is(s.failed, uid.ErrExhausted) {
			ended = s.failed
		}
	}
	telemetry.Judge(&h, ended)
	return h
}
