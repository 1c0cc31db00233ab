package segment

import (
	"context"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/consecutive"
)

// fillChunk is how many numbers Fill claims at a time, at most.
const fillChunk = 4096

// Fill fills dst with new numbers in ascending order, and returns how many it got: len(dst), or fewer and the error
// that GetUID would have returned. One atomic add claims thousands. The numbers of concurrent calls interleave.
func (g *Generator) Fill(dst []uid.UID) (n int, err error) {
	return g.FillContext(context.Background(), dst)
}

// FillContext is to Fill what [Generator.GetUIDContext] is to GetUID.
func (g *Generator) FillContext(ctx context.Context, dst []uid.UID) (n int, err error) {
	for n < len(dst) {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		s := g.front.Load()
		want := uint64(min(len(dst)-n, fillChunk))
		pos := g.ring.Claim(want)
		got := g.resolve(dst[n:n+int(want)], s, pos)
		if n += got; got > 0 {
			continue
		}
		u, err := g.draw(ctx, g.cfg.OnRejectedTake)
		if err != nil {
			return n, err
		}
		dst[n] = u
		n++
	}
	return n, nil
}

// resolve fills dst with the numbers of positions from pos on, as far as they are worth any, and
// returns how many are. Those that are not lie at the end.
func (g *Generator) resolve(dst []uid.UID, front *span, pos uint64) (n int) {
	for n < len(dst) {
		s := g.enter(front, pos)
		if s == nil {
			break
		}
		d := pos - s.first
		out := dst[n:min(len(dst), n+int(min(s.n-d, fillChunk)))]
		consecutive.Fill(out, uid.UID(s.base+d))
		n += len(out)
		pos += uint64(len(out))
		front = s
	}
	return n
}
