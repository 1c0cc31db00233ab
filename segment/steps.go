package segment

import "time"

// steps is how many numbers are taken at once, and what that goes by.
type steps struct {
	step    int64
	asked   time.Time // when step was decided
	early   bool      // there were numbers left then
	starved bool      // and since then a call has found nothing
}

// adapt decides how many numbers to take now. left says whether there are numbers in hand. Numbers that lasted less
// than Lasting double the step, those that lasted more than twice as long halve it, and those that were used up before
// the next ones were there make it eight times as large.
func (s *steps) adapt(now time.Time, left bool, cfg *Config) {
	switch lasted := now.Sub(s.asked); {
	case s.asked.IsZero():
	case s.starved:
		s.step *= 8
	case lasted < cfg.Lasting:
		s.step *= 2
	case lasted > 2*cfg.Lasting:
		s.step /= 2
	}
	s.step = min(max(s.step, cfg.MinStep), cfg.MaxStep)
	s.asked, s.early, s.starved = now, left, false
}
