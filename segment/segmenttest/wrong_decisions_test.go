package segmenttest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/segment"
)

// wrongDecisions are wrong in what decide agrees to and refuses.
func wrongDecisions() []mistake {
	return []mistake{
		{"a look creates a row", byFresh, wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			if c.m.Row(tag).Fresh {
				defer func() {
					if c.m.Row(tag).Fresh {
						c.m.SetRow(segment.Row{Tag: tag, Step: 1})
					}
				}()
			}
			return c.Change(ctx, tag, decide)
		}}},
		{"a Fresh row has a step", byFresh, decides(func(r *segment.Row, decide func() error) error {
			if r.Fresh {
				r.Step = 1
			}
			return decide()
		})},
		{"no row is created", byFresh, wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			err := c.Change(ctx, tag, func(r *segment.Row) error {
				if fresh := r.Fresh; fresh {
					return cmp.Or(decide(r), errSkip)
				}
				return decide(r)
			})
			if errors.Is(err, errSkip) {
				return nil
			}
			return err
		}}},
		{"tags by their first letters", byFresh, wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			return c.Change(ctx, tag[:min(len(tag), 6)], decide)
		}}},
		{"stores what decide refused", byRefusal, wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			var refused error
			err := c.Change(ctx, tag, func(r *segment.Row) error { refused = decide(r); return nil })
			return cmp.Or(refused, err)
		}}},
		{"a row that decide refused is created", byRefusal, wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			return c.Change(ctx, tag, func(r *segment.Row) error {
				fresh := r.Fresh
				err := decide(r)
				if err != nil && !errors.Is(err, uid.ErrRange) && fresh && r.Step > 0 {
					defer c.m.SetRow(segment.Row{Tag: tag, Step: 1})
				}
				return err
			})
		}}},
		{"decide gets the takers that are stored", byRefusal, wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			return c.Change(ctx, tag, func(r *segment.Row) error {
				c.m.mu.Lock()
				r.Takers = c.m.rows[tag].Takers
				c.m.mu.Unlock()
				return decide(r)
			})
		}}},
		{"decide's error is lost", byRefusal, returns(func(ctx context.Context, call func(context.Context) error, decided *error) error {
			err := call(ctx)
			if *decided != nil {
				return nil
			}
			return err
		})},
		{"decide's error is told in other words", byRefusal, returns(func(ctx context.Context, call func(context.Context) error, decided *error) error {
			err := call(ctx)
			if *decided != nil {
				return fmt.Errorf("segmenttest: %v", err)
			}
			return err
		})},
		{"a decision that may pass is tried again", byRefusal, returns(func(ctx context.Context, call func(context.Context) error, _ *error) error {
			for {
				if err := call(ctx); !retry.IsTransient(err) || ctx.Err() != nil {
					return err
				}
				time.Sleep(time.Millisecond) // of the time that synctest makes
			}
		})},
		{"what is no row is stored", byNoRow, unchecked(func(r segment.Row) error { return nil })},
		{"what is no row is not said to be out of range", byNoRow, unchecked(func(r segment.Row) error {
			if r.Check() != nil {
				return errors.New("constraint violated")
			}
			return nil
		})},
		{"what is no row is refused without its numbers", byNoRow, unchecked(func(r segment.Row) error {
			if r.Check() != nil {
				return fmt.Errorf("%w: bad row", uid.ErrRange)
			}
			return nil
		})},
		{"what is no row may be one later", byNoRow, unchecked(func(r segment.Row) error {
			if err := r.Check(); err != nil {
				return retry.Transient(err)
			}
			return nil
		})},
		{"what is no row is stored all the same", byNoRow, wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			var row segment.Row
			err := c.Change(ctx, tag, func(r *segment.Row) error { err := decide(r); row = copied(r); return err })
			if errors.Is(err, uid.ErrRange) {
				c.m.SetRow(row)
			}
			return err
		}}},
		{"a Fresh row is not checked", byNoRow, wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			var row segment.Row
			var decided error
			err := c.Change(ctx, tag, func(r *segment.Row) error { decided = decide(r); row = copied(r); return decided })
			if row.Fresh && decided == nil {
				row.Fresh = false
				c.m.SetRow(row)
			}
			return err
		}}},
	}
}

var errSkip = errors.New("skipped")

// unchecked stores what another check lets pass.
func unchecked(check func(segment.Row) error) wrong {
	return wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
		var row segment.Row
		err := c.Change(ctx, tag, func(r *segment.Row) error {
			err := decide(r)
			row = copied(r)
			return cmp.Or(err, errSkip)
		})
		if !errors.Is(err, errSkip) {
			return err
		}
		row.Fresh = false
		if err := check(row); err != nil {
			return err
		}
		c.m.SetRow(row)
		return nil
	}}
}
