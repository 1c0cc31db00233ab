package segmenttest

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/uidgen/uid/segment"
)

// wrongValues are wrong in what is kept of the values, and under which tag.
func wrongValues() []mistake {
	float := func(n *int64) { *n = int64(min(float64(*n), 1<<62)) }
	takers := func(f func(t *segment.Taker)) wrong {
		return writes(func(r *segment.Row) {
			for i := range r.Takers {
				f(&r.Takers[i])
			}
		})
	}
	return []mistake{
		{"the next number as a floating point number", byValues, writes(func(r *segment.Row) { float(&r.Next) })},
		{"the next number as a floating point number, many draw", byDraws, writes(func(r *segment.Row) { float(&r.Next) })},
		{"the next number as a floating point number, others draw", byForeign, writes(func(r *segment.Row) { float(&r.Next) })},
		{"a next number of 1 at least", byValues, writes(func(r *segment.Row) { r.Next = max(r.Next, 1) })},
		{"steps in 31 bits", byValues, writes(func(r *segment.Row) { r.Step = min(r.Step, 1<<30) })},
		{"steps as floating point numbers", byValues, writes(func(r *segment.Row) { r.Step = min(int64(float32(r.Step)), segment.MaxStep) })},
		{"a description of 255 characters", byValues, writes(func(r *segment.Row) {
			r.Description = string([]rune(r.Description)[:min(255, len([]rune(r.Description)))])
		})},
		{"a description of 256 bytes", byValues, writes(func(r *segment.Row) { r.Description = r.Description[:min(256, len(r.Description))] })},
		{"a description of three bytes a character", byValues, writes(func(r *segment.Row) { r.Description = strings.ReplaceAll(r.Description, "\U0001F984", "?") })},
		{"a description without spaces at the end", byValues, writes(func(r *segment.Row) { r.Description = strings.TrimRight(r.Description, " ") })},
		{"takers' numbers as floating point numbers", byValues, takers(func(t *segment.Taker) { float(&t.Last) })},
		{"no taker's number below 0", byValues, takers(func(t *segment.Taker) { t.Last = max(t.Last, 0) })},
		{"nonces in small letters", byValues, takers(func(t *segment.Taker) { t.Nonce = strings.ToLower(t.Nonce) })},
		{"nonces that are numbers", byValues, takers(func(t *segment.Taker) { t.Nonce = cmp.Or(strings.TrimLeft(t.Nonce, "0"), "0") })},
		{"takers in the order of their nonces", byValues, writes(func(r *segment.Row) {
			slices.SortFunc(r.Takers, func(a, b segment.Taker) int { return strings.Compare(a.Nonce, b.Nonce) })
		})},
		{"takers in the order of their numbers", byValues, writes(func(r *segment.Row) {
			slices.SortFunc(r.Takers, func(a, b segment.Taker) int { return cmp.Compare(a.Last, b.Last) })
		})},
		{"one taker less than there can be", byValues,
			writes(func(r *segment.Row) { r.Takers = r.Takers[:min(segment.MaxTakers-1, len(r.Takers))] })},
		{"forgets how often it was written", byValues, writes(func(r *segment.Row) { r.Writes = 0 })},
		{"writes as a floating point number", byValues, writes(func(r *segment.Row) { float(&r.Writes) })},
		{"forgets how far it was", byValues, writes(func(r *segment.Row) { r.Floor = 0 })},
		{"how far it is by the next number", byValues, writes(func(r *segment.Row) { r.Floor = r.Next })},
		{"raises what is below the floor", byLower, decides(func(r *segment.Row, decide func() error) error {
			r.Next = max(r.Next, r.Floor)
			return decide()
		})},
		{"nothing beside a number that was removed", byLower, decides(func(r *segment.Row, decide func() error) error {
			if r.Fresh {
				r.Writes, r.Floor, r.Takers = 0, 0, nil
			}
			return decide()
		})},
		{"writes over a number that was lowered since", byLower, wrong{change: func(
			c *Client, ctx context.Context, tag string, decide decision,
		) error {
			var row segment.Row
			look := errors.New("look")
			err := c.Change(ctx, tag, func(r *segment.Row) error { row = copied(r); return look })
			if !errors.Is(err, look) {
				return err
			}
			if err := decide(&row); err != nil {
				return err
			}
			return c.Change(ctx, tag, func(r *segment.Row) error { *r = row; return nil })
		}}},
		{"a number that was removed is 0", byLower, decides(func(r *segment.Row, decide func() error) error {
			if r.Fresh && r.Floor > 0 {
				r.Fresh, r.Step = false, 1
			}
			return decide()
		})},
		{"forgets takers", byValues, writes(func(r *segment.Row) { r.Takers = nil })},
		{"forgets takers, and draws fail", byFailures, writes(func(r *segment.Row) { r.Takers = nil })},
		{"keeps a row's step and description", byValues, wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			return c.Change(ctx, tag, func(r *segment.Row) error {
				was := *r
				err := decide(r)
				if err == nil && !was.Fresh {
					r.Step, r.Description = was.Step, was.Description
				}
				return err
			})
		}}},
		{"Updated is hours off", byValues, decides(func(r *segment.Row, decide func() error) error {
			if !r.Fresh {
				r.Updated = r.Updated.Add(8 * time.Hour)
			}
			return decide()
		})},

		{"one row for all", byTags, renames(func(string) string { return "all" })},
		{"tags as paths", byTags, renames(path.Clean)},
		{"tags as paths below another one", byTags, renames(func(tag string) string { return "x" + path.Join("/", tag) })},
		{"tags up to a colon", byTags, renames(func(tag string) string { tag, _, _ = strings.Cut(tag, ":"); return tag + "." })},
		{"tags unescaped", byTags, renames(func(tag string) string {
			if plain, err := url.PathUnescape(tag); err == nil {
				return plain
			}
			return tag
		})},
		{"slashes escaped alone", byTags, renames(func(tag string) string { return strings.ReplaceAll(tag, "/", "%2F") })},
		{"tags of 127 bytes", byTags, renames(func(tag string) string { return tag[:min(127, len(tag))] })},
		{"tags that are numbers", byTags, renames(func(tag string) string { return cmp.Or(strings.TrimLeft(tag, "0"), "0") })},
		{"words with a meaning", byTags, wrong{rows: func(c *Client, ctx context.Context, after string, most int) ([]segment.Row, error) {
			rows, err := c.Rows(ctx, after, most)
			return slices.DeleteFunc(rows, func(r segment.Row) bool { return r.Tag == "max_id" }), err
		}}},
		{"letters fall together when read alone", byLetters, wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			return c.Change(ctx, tag, func(r *segment.Row) error {
				if upper := c.m.Row("Orders"); r.Fresh && tag == "orders" && !upper.Fresh {
					*r = upper
					r.Tag = tag
				}
				return decide(r)
			})
		}}},
		{"letters fall together when written", byLetters, wrong{change: func(c *Client, ctx context.Context, tag string, decide decision) error {
			err := c.Change(ctx, tag, decide)
			if row := c.m.Row(tag); err == nil && tag == "orders" {
				row.Tag = "Orders"
				c.m.SetRow(row)
			}
			return err
		}}},

		{"no name", byName, wrong{name: func() string { return "" }}},
		{"a name that changes", byName, func() wrong {
			n := 0
			return wrong{name: func() string { n++; return strings.Repeat("x", n) }}
		}()},
		{"a name with the secret", byName, wrong{name: func() string { return "user:tiger@host" }}},
		{"settings with the secret", byName, wrong{inspect: func(*Client) ([]string, error) { return []string{"tiger"}, nil }}},
		{"an error with the secret", byName, wrong{inspect: func(*Client) ([]string, error) { return nil, errors.Join(errors.New("x"), errors.New("tiger")) }}},
		{"Inspect wants that there is something", byName, wrong{inspect: func(c *Client) ([]string, error) {
			if len(c.m.rows) == 0 {
				return nil, errors.New("there is no table")
			}
			return nil, nil
		}}},
		{"Inspect creates a row", byName, wrong{inspect: func(c *Client) ([]string, error) {
			c.m.SetRow(segment.Row{Tag: "inspected", Step: 1})
			return nil, nil
		}}},
		{"Inspect changes a row", byName, wrong{inspect: func(c *Client) ([]string, error) {
			if row := c.m.Row("orders"); !row.Fresh {
				row.Step++
				c.m.SetRow(row)
			}
			return nil, nil
		}}},
	}
}

// wrongRows are wrong in what Rows returns.
func wrongRows() []mistake {
	return []mistake{
		{"Rows forget takers", byValues, lists(func(rows []segment.Row) []segment.Row {
			for i := range rows {
				rows[i].Takers = nil
			}
			return rows
		})},
		{"Rows without letters of their own", byPages, lists(func(rows []segment.Row) []segment.Row {
			slices.SortFunc(rows, func(a, b segment.Row) int { return strings.Compare(strings.ToLower(a.Tag), strings.ToLower(b.Tag)) })
			return rows
		})},
		{"Rows in the order of their paths", byTags, lists(func(rows []segment.Row) []segment.Row {
			slices.SortFunc(rows, func(a, b segment.Row) int { return strings.Compare(url.PathEscape(a.Tag), url.PathEscape(b.Tag)) })
			return rows
		})},
		{"Rows that are forgotten", byPages, lists(func(rows []segment.Row) []segment.Row { return rows[:min(len(rows), 298)] })},
		{"Rows of one more", byPages, wrong{rows: func(c *Client, ctx context.Context, after string, most int) ([]segment.Row, error) {
			return c.Rows(ctx, after, most+1)
		}}},
		{"Rows from the tag", byPages, wrong{rows: func(c *Client, ctx context.Context, after string, most int) ([]segment.Row, error) {
			rows, err := c.Rows(ctx, after, most)
			if row := c.m.Row(after); err == nil && !row.Fresh {
				rows = append([]segment.Row{row}, rows[:min(len(rows), most-1)]...)
			}
			return rows, err
		}}},
		{"Rows of 100 at most", byPages, wrong{rows: func(c *Client, ctx context.Context, after string, most int) ([]segment.Row, error) {
			return c.Rows(ctx, after, min(most, 100))
		}}},
		{"Rows after a tag that has a row", byPages, wrong{rows: func(c *Client, ctx context.Context, after string, most int) ([]segment.Row, error) {
			if after != "" && c.m.Row(after).Fresh {
				return nil, nil
			}
			return c.Rows(ctx, after, most)
		}}},
		{"Rows tell the secret", byContexts, wrong{rows: func(c *Client, ctx context.Context, after string, most int) ([]segment.Row, error) {
			rows, err := c.Rows(ctx, after, most)
			if err != nil {
				err = errors.Join(err, errors.New("by tiger"))
			}
			return rows, err
		}}},
	}
}
