package uncached

import (
	"context"
	"slices"
	"testing"
	"time"

	uid "github.com/uidgen/uid"
)

func (g *Generator) get2() (uid.UID, error) {
	gr, turn := g.grant.Load(), g.turn()
	tick := g.tickAt(g.now())
	if tick >= gr.first && tick <= gr.last {
		mark := &g.marks[tick&g.markMask]
		at := mark.Load()
		if next := at + 1; next>>(g.tickShift&63) == tick && next&g.turnMask == turn && at >= 0 &&
			next&g.seqMask != 0 && mark.CompareAndSwap(at, next) && g.grant.Load() == gr {
			return uid.UID(next&^g.seqMask<<(g.idShift&63) | gr.worker | next&g.seqMask), nil
		}
	}
	u, _, err := g.drawSlow(context.Background(), 1, true)
	return u, err
}

//go:noinline
func (g *Generator) clockOnly() int64 { return g.tickAt(g.now()) }

//go:noinline
func (g *Generator) clockCAS() (uid.UID, error) {
	t := g.tickAt(g.now())
	at := g.marks[0].Load()
	g.marks[0].CompareAndSwap(at, at+1)
	return uid.UID(t), nil
}

func BenchmarkX(b *testing.B) {
	g := quiet(b, endless(7), Config{Layout: roomy["s"]})
	defer g.Close()
	const k = 1000
	fs := []func(){
		func() {
			for range k {
				time.Now()
			}
		},
		func() {
			for range k {
				g.GetUID()
			}
		},
		func() {
			for range k {
				g.get2()
			}
		},
		func() {
			for range k {
				g.clockOnly()
			}
		},
		func() {
			for range k {
				g.clockCAS()
			}
		},
	}
	fs = append(fs, func() { for range k { g.get3() } })
	ns := make([][]float64, len(fs))
	for range b.N {
		for i, f := range fs {
			t := time.Now()
			f()
			ns[i] = append(ns[i], float64(time.Since(t))/k)
		}
	}
	for i, n := range []string{"now", "get", "get2", "clock", "clockcas", "get3"} {
		slices.Sort(ns[i])
		b.ReportMetric(ns[i][len(ns[i])/2], n)
	}
}

func (g *Generator) get3() (uid.UID, error) {
	gr, turn := g.grant.Load(), g.turn()
	u, _, out := g.take3(gr, g.tickAt(g.now()), turn, 1)
	if out != issued {
		u, _, err := g.drawSlow(context.Background(), 1, true)
		return u, err
	}
	return u, nil
}

func (g *Generator) take3(gr *grant, tick, turn, n int64) (uid.UID, int64, outcome) {
	if tick < gr.first {
		return 0, 0, behind
	}
	if tick > gr.last {
		return 0, 0, unreserved
	}
	mark := &g.marks[tick&g.markMask]
	for {
		at := mark.Load()
		newest := at >> (g.tickShift & 63)
		next := at + 1
		if tick != newest || at&g.turnMask != turn || next&g.seqMask == 0 {
			if at&g.turnMask != turn {
				return 0, 0, outdated
			}
			if tick < newest {
				return 0, 0, behind
			}
			if tick == newest {
				return 0, 0, usedUp
			}
			next = tick<<(g.tickShift&63) | turn | g.sequenceStart()
		}
		taken := n
		if n > 1 {
			taken = min(n, g.seqMask-next&g.seqMask+1)
		}
		if !mark.CompareAndSwap(at, next+taken-1) {
			continue
		}
		if g.grant.Load() != gr {
			return 0, 0, outdated // the positions stay unused
		}
		if tick > newest && tick >= gr.renew {
			g.tenure.Want(g.wish(tick))
		}
		return uid.UID(next&^g.seqMask<<(g.idShift&63) | gr.worker | next&g.seqMask), taken, issued
	}
}
