package main

import (
	"time"

	"github.com/uidgen/uid/test/crew"
)

// plant has processes draw from a store that is wrong on purpose, until that is found out.
func (r *run) plant(wrong string) verdict {
	r.job.Wrong = wrong
	r.job.MinStep, r.job.MaxStep, r.job.Chunk = 10, 200, 50
	r.job.Release = 20 * time.Millisecond
	r.pause.Store(int64(time.Millisecond))
	r.start(4)
	began := time.Now()
	crew.Await(r, "a store that "+wrong+" to be found out", func() bool {
		if time.Since(began) > 500*time.Millisecond && len(r.All) < 100 { // those who noticed draw no more
			began = time.Now()
			r.start(1)
		}
		return r.Doubles() > 0 || wrong == skipping && r.takes() > 20
	})
	return r.finish()
}
