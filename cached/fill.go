package cached

import (
	"context"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/consecutive"
)

// fillChunk is how many UIDs Fill claims at a time, at most. A call that stops
// half-way loses no more than that.
const fillChunk = 4096

// Fill fills dst with new UIDs in increasing order and returns how many it got: len(dst), or fewer and GetUID's error.
// The UIDs of concurrent calls interleave; to earlier and later calls the order is strict. If it has to wait, it gets
// at its turn what the tick has left, and queues again.
func (g *Generator) Fill(dst []uid.UID) (n int, err error) {
	return g.FillContext(context.Background(), dst)
}

// FillContext is Fill with a context: see [uid.Generator].
func (g *Generator) FillContext(ctx context.Context, dst []uid.UID) (n int, err error) {
	for n < len(dst) {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		want := g.ready(min(uint64(len(dst)-n), fillChunk))
		v, pos, ok := g.ring.TakeN(want)
		if ok {
			// Most claims are like this: in one run, which others have entered. For a short
			// dst, what enter costs shows.
			consecutive.Fill(dst[n:n+int(want)], uid.UID(v))
			n += int(want)
			continue
		}
		got, err := g.fillFrom(ctx, dst[n:], claim{pos: pos, end: pos + want})
		n += got
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// fillFrom fills dst from a claim, or from what the claim becomes, until that is used up or dst
// is full.
func (g *Generator) fillFrom(ctx context.Context, dst []uid.UID, c claim) (n int, err error) {
	for c.pos != c.end {
		if err := g.enter(ctx, &c, uint64(len(dst)-n)); err != nil {
			return n, err
		}
		out := dst[n : n+int(c.last-c.next)]
		consecutive.Fill(out, uid.UID(c.next))
		n += len(out)
	}
	return n, nil
}

// A claim is a range of positions that belong to one taker, with the UIDs of those that
// are settled: looked up in the ring.
type claim struct {
	pos, end   uint64 // positions that are not settled yet, pos != end
	next, last uint64 // settled UIDs, from next up to but without last
}

// claim claims up to want positions, as ready says.
func (g *Generator) claim(want uint64) claim {
	n := g.ready(want)
	pos := g.ring.Claim(n)
	return claim{pos: pos, end: pos + n}
}

// ready returns how many positions to claim where up to want are wanted: no more than the ring
// holds ready if that is at least one.
func (g *Generator) ready(want uint64) uint64 {
	n := min(want, g.ring.Left(0))
	return max(1, min(n, g.ring.Ready()))
}

// enter settles the next positions of a claim as far as they lie in one run. If they are worth
// nothing, the claim becomes another one, of up to want positions.
func (g *Generator) enter(ctx context.Context, c *claim, want uint64) error {
	n := min(c.end-c.pos, g.ring.Left(c.pos))
	v, ok := g.published(c.pos)
	if !ok {
		rest := c.end - c.pos - 1
		b, err := g.draw(ctx, c.pos, want, g.cfg.OnRejectedTake)
		if err != nil || b.pos != c.pos {
			// The same holds for the others: they were claimed with the ring shut, or
			// their ticks were skipped.
			if c.pos>>63 == 0 {
				g.counts.lost.Add(rest)
			}
			c.pos, c.end = b.pos, b.pos+b.n
			n = b.n
		}
		if err != nil {
			c.end = c.pos
			return err
		}
		v = b.first
	}
	c.next, c.last = v, v+n
	c.pos += n
	return nil
}
