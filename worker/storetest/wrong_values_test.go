package storetest

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/uidgen/uid/worker/lease"
)

// wrongValues are wrong in what is kept of the values.
func wrongValues() []mistake {
	return []mistake{
		{"Until in milliseconds", byRows, writes(row(func(r *lease.Row) { truncated(&r.Until) }))},
		{"Acquired in milliseconds", byRows, writes(row(func(r *lease.Row) { truncated(&r.Acquired) }))},
		{"Renewed in milliseconds", byRows, writes(row(func(r *lease.Row) { truncated(&r.Renewed) }))},
		{"forgets Acquired", byRows, writes(row(func(r *lease.Row) { r.Acquired = r.Renewed }))},
		{"years up to 2262", byRows, writes(row(func(r *lease.Row) { r.Renewed = time.Unix(0, r.Renewed.UnixNano()) }))},
		{"a Holder of 127 characters", byRows, writes(row(func(r *lease.Row) { r.Holder = string([]rune(r.Holder)[:min(127, len([]rune(r.Holder)))]) }))},
		{"a Holder of 128 bytes", byRows, writes(row(func(r *lease.Row) { r.Holder = r.Holder[:min(128, len(r.Holder))] }))},
		{"a Holder of three bytes a character", byRows, writes(row(func(r *lease.Row) { r.Holder = strings.ReplaceAll(r.Holder, "\U0001F984", "?") }))},
		{"a Holder without spaces at the end", byRows, writes(row(func(r *lease.Row) { r.Holder = strings.TrimRight(r.Holder, " ") }))},
		{"a Layout of 254 bytes", byRows, writes(row(func(r *lease.Row) { r.Layout = r.Layout[:min(254, len(r.Layout))] }))},
		{"nonces in small letters", byRows, writes(row(func(r *lease.Row) { r.Nonce = strings.ToLower(r.Nonce) }))},
		{"no High below 0", byRows, writes(row(func(r *lease.Row) { r.High = max(r.High, 0) }))},
		{"High as a floating point number", byRows, writes(row(func(r *lease.Row) {
			if r.High < math.MaxInt64 {
				r.High = int64(float64(r.High))
			}
		}))},
		{"times of rows in local time", byRows, reads(func(n *lease.Namespace, r *lease.Row, _ *lease.Clock) {
			if r != nil {
				r.Until = r.Until.In(time.FixedZone("", 3600))
			}
		})},
		{"a clock in nanoseconds", byRows, reads(func(n *lease.Namespace, _ *lease.Row, now *lease.Clock) { now.Now = now.Now.Add(1) })},
		{"a clock in local time", byRows, reads(func(n *lease.Namespace, _ *lease.Row, now *lease.Clock) {
			now.Now = now.Now.In(time.FixedZone("", 3600))
		})},
		{"a clock with an Error below 0", byRows, reads(func(n *lease.Namespace, _ *lease.Row, now *lease.Clock) { now.Error = -1 })},
		{"Made in milliseconds", byNamespaces, writes(namespace(func(n *lease.Namespace) { truncated(&n.Made) }))},
		{"a namespace's Renewed in milliseconds", byNamespaces, writes(namespace(func(n *lease.Namespace) { truncated(&n.Renewed) }))},
		{"no Floor below 0", byNamespaces, writes(namespace(func(n *lease.Namespace) { n.Floor = max(n.Floor, 0) }))},
		{"forgets a namespace's IDs", byNamespaces, writes(namespace(func(n *lease.Namespace) { n.IDs = lease.Range{} }))},
		{"keeps a namespace's last ID alone", byNamespaces, writes(namespace(func(n *lease.Namespace) { n.IDs.First = 0 }))},
		{"a namespace's IDs in 32 bits", byNamespaces, writes(namespace(func(n *lease.Namespace) { n.IDs.Last = int64(int32(n.IDs.Last)) }))},
		{"forgets a namespace's History", byNamespaces, writes(namespace(func(n *lease.Namespace) { n.History = "" }))},
		{"forgets a namespace's Layout", byNamespaces, writes(namespace(func(n *lease.Namespace) { n.Layout = "" }))},
		{"Take writes only the row", byNamespaces, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			return c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				shown := *n
				return decide(&shown, r, now)
			})
		}}},
		{"Take writes only the namespace", byRows, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			return c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				shown := *r
				return decide(n, &shown, now)
			})
		}}},
	}
}

func truncated(t *time.Time) { *t = t.Truncate(time.Millisecond) }
