package uncached

import (
	"context"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/consecutive"
)

// Fill fills dst with new UIDs and returns how many it got: len(dst), or fewer and the error that GetUID would have
// returned. One look at the clock takes all that a tick has left.
func (g *Generator) Fill(dst []uid.UID) (n int, err error) {
	return g.FillContext(context.Background(), dst)
}

// FillContext is to Fill what [Generator.GetUIDContext] is to GetUID.
func (g *Generator) FillContext(ctx context.Context, dst []uid.UID) (n int, err error) {
	for n < len(dst) {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		first, got, err := g.draw(ctx, int64(len(dst)-n), true)
		if err != nil {
			return n, err
		}
		out := dst[n : n+int(got)]
		consecutive.Fill(out, first)
		n += len(out)
	}
	return n, nil
}
