package queue

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A queue does what two slices do: one of those that were served, and one of those that wait.
func TestQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue[int]
		var served, waiting, all []*Call[int]
		given := 0
		t.Repeat(map[string]func(*rapid.T){
			"join": func(t *rapid.T) {
				c := NewCall[int](rapid.Uint64Range(1, 3).Draw(t, "want"))
				require.False(t, c.HasPlace())
				at := rapid.IntRange(0, len(waiting)).Draw(t, "at")
				if at == len(waiting) {
					q.Join(c, nil)
				} else {
					q.Join(c, waiting[at])
				}
				waiting, all = slices.Insert(waiting, at, c), append(all, c)
			},
			"serve": func(t *rapid.T) {
				left := rapid.Uint64Range(0, 5).Draw(t, "left")
				any := q.Serve(func(want uint64) (int, uint64) {
					got := min(want, left)
					left -= got
					given++
					return given, got
				})
				require.Equal(t, any, len(waiting) > 0 && waiting[0].Got > 0)
				for len(waiting) > 0 && waiting[0].Got > 0 {
					require.Len(t, waiting[0].Turn(), 1)
					served, waiting = append(served, waiting[0]), waiting[1:]
				}
				require.True(t, left == 0 || len(waiting) == 0)
			},
			"leave": func(t *rapid.T) {
				if len(all) == 0 {
					return
				}
				c := rapid.SampledFrom(all).Draw(t, "call")
				q.Leave(c)
				is := func(x *Call[int]) bool { return x == c }
				served, waiting = slices.DeleteFunc(served, is), slices.DeleteFunc(waiting, is)
				all = slices.DeleteFunc(all, is)
			},
			"withdraw": func(t *rapid.T) {
				lost := uint64(0)
				for _, c := range served {
					lost += c.Got
				}
				require.Equal(t, lost, q.Withdraw())
				served, waiting = nil, append(served, waiting...)
			},
			"": func(t *rapid.T) {
				wanted := uint64(0)
				for i, c := range slices.Concat(served, waiting) {
					require.True(t, c.HasPlace())
					require.Equal(t, i < len(served), c.Got > 0)
					require.LessOrEqual(t, c.Got, c.Want)
					require.True(t, i == 0 || i >= len(served) || c.Given > served[i-1].Given, "in order")
					if c.Got == 0 {
						wanted += c.Want
					}
				}
				require.Equal(t, len(waiting), q.Waiting())
				require.Equal(t, wanted, q.Wanted())
				if len(waiting) == 0 {
					require.Nil(t, q.First())
				} else {
					require.Same(t, waiting[0], q.First())
				}
			},
		})
	})
}
