package segment

import (
	"errors"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/count"
	"github.com/uidgen/uid/internal/supply"
)

var _ health.Reporter = (*Generator)(nil)

// Health says whether the generator is ready, why not, and how long its numbers last. One that has not been drawn from
// is ready. Health takes a lock that calls with a number in hand do not take.
func (g *Generator) Health() health.Health {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, st := &g.state, g.stats()
	h := health.Health{
		Generator: "segment", Tag: st.Tag, Time: g.cfg.Now(), Buffered: st.Buffered,
		Numbers: &health.Numbers{
			Lasts: health.Duration{Duration: st.Lasts}, Newest: s.taken,
			Left: g.cfg.Last - max(s.taken, g.cfg.First-1), Total: g.cfg.Last - g.cfg.First + 1,
			Low: supply.Low(max(s.taken-g.cfg.First, 0), g.cfg.Last-g.cfg.First),
		},
		Counts: map[string]uint64{
			count.Issued: st.Issued, count.RejectedTakes: st.RejectedTakes, count.HandlerPanics: st.HandlerPanics,
			count.RenewalFailures: s.failedEver, count.NumbersTaken: st.Taken, count.Segments: st.Segments,
			count.NumbersGivenBack: st.GivenBack, count.NumbersDropped: st.Dropped,
		},
	}
	ended := s.ended
	if s.failed != nil {
		h.Failing = &health.Failing{Error: s.failed.Error(), Since: s.since, Attempts: int64(s.failures)}
		if ended == nil && st.Buffered == 0 && errors.Is(s.failed, uid.ErrExhausted) {
			ended = s.failed
		}
	}
	h.Judge(ended)
	return h
}
