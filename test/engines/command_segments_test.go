package engines_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommandSegments(t *testing.T) {
	for name, start := range places {
		t.Run(name, func(t *testing.T) {
			p := start(t)
			ok, fails := p.calls(t)

			// An empty store, which stays so.
			require.Empty(t, ok("segment", "ls"))
			const none = `the store has no such tag: "invoice"; `
			const makes = none + "--create makes it"
			for range 2 {
				fails(none+"uid segment set --create makes it", "segment", "next", "invoice")
				fails(makes, "gen", "--segment", "invoice")
				fails(makes, "segment", "set", "invoice", "--next", "5")
			}
			require.Empty(t, ok("segment", "ls", "--json"))

			made := ok("segment", "set", "invoice", "--create", "-v")
			require.Equal(t, "tag \"invoice\": the next number is 1, the step 1\n", made)
			require.Equal(t, "1\n", ok("segment", "next", "invoice", "-v"))
			require.Equal(t, "2\n3\n4\n", ok("segment", "next", "invoice", "-n", "3"))
			ok("segment", "set", "invoice", "--step", "1000", "--description", "Bücher & \"more\"", "--create")
			require.Equal(t, "5\n6\n7\n8\n9\n", ok("gen", "--segment", "invoice", "-v"))
			fails("was 10, and 9 is below", "segment", "set", "invoice", "--next", "9")

			// From 2^53 on not every number is a float.
			const large int64 = 1<<62 + 1
			ok("segment", "set", "invoice", "--next", fmt.Sprint(large))
			require.Equal(t, fmt.Sprintln(large), ok("segment", "next", "invoice"))
			s := run(t, p.url, "segment", "set", "invoice", "--next", "10", "--lower")
			twice := fmt.Sprintf("uid: the numbers 10 to %d of tag \"invoice\" can now come twice\n", large)
			require.Equal(t, said{"tag \"invoice\": the next number is 10, the step 1000\n", twice, 0}, s)
			require.Equal(t, "10\n", ok("segment", "next", "invoice"))

			daily := ok("gen", "--segment", "order no. 1:", "--daily", "-n", "2", "--zone", "Europe/Berlin")
			require.Regexp(t, `^\d{8}-000001\n\d{8}-00000\d\n$`, daily)
			require.Equal(t, "1\n", ok("gen", "--segment", "a", "--create", "-n", "1"))
			rows := objects(t, ok("segment", "ls", "--json"))
			require.GreaterOrEqual(t, len(rows), 3)
			require.Equal(t, "a", rows[0]["tag"])
			require.NotNil(t, rows[1]["updated"])
			delete(rows[1], "updated")
			require.Equal(t, map[string]any{
				"tag": "invoice", "next": "11", "step": 1000.0, "description": "Bücher & \"more\"",
			}, rows[1])
			require.Regexp(t, `^order no. 1:/\d{8}$`, rows[2]["tag"])
			require.Contains(t, ok("segment", "ls", "a", rows[2]["tag"].(string)), "order no. 1:/")
			fails("no such tag: \"b\"", "segment", "ls", "a", "b")
			atOnce(t, p.url)
		})
	}
}

// atOnce has processes draw at once: no number comes twice, and none is skipped.
func atOnce(t *testing.T, url string) {
	const processes, each = 4, 3000
	var outs [processes]said
	var all sync.WaitGroup
	for i := range outs {
		all.Go(func() {
			outs[i] = run(t, url, "gen", "--segment", "all", "--create", "-n", strconv.Itoa(each), "--step", "250")
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for _, s := range outs {
		require.Zero(t, s.code, s.err)
		for _, number := range strings.Fields(s.out) {
			require.False(t, seen[number], "%s comes twice", number)
			seen[number] = true
		}
	}
	require.Len(t, seen, processes*each)
	require.Equal(t, fmt.Sprintln(processes*each+1), run(t, url, "segment", "next", "all").out, "none was skipped")
}
