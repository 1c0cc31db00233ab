package metrics_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/metrics/internal/measure"
)

// The dashboard is what Grafana reads: panels with numbers of their own that do not lie on each
// other, each with queries that choose the generator. It shows every metric.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("dashboard.json")
	require.NoError(t, err)
	var board struct {
		Title  string
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ H, W, X, Y int }
			Targets []struct{ RefID, Expr, LegendFormat string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &board))
	require.NotEmpty(t, board.Title)
	ids, cells, queries := map[int]bool{}, map[[2]int]string{}, ""
	for _, p := range board.Panels {
		require.False(t, ids[p.ID], p.Title)
		ids[p.ID] = true
		require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				require.Empty(t, cells[at], "%s lies on %s", p.Title, cells[at])
				cells[at] = p.Title
			}
		}
		require.NotEmpty(t, p.Targets, p.Title)
		for _, q := range p.Targets {
			filtered := strings.Count(q.Expr, `{generator=~"$generator"}`)
			require.Equal(t, len(named.FindAllString(q.Expr, -1)), filtered, q.Expr)
			queries += q.Expr + "\n"
		}
	}
	for _, m := range measure.All() {
		require.Contains(t, queries, m.Prometheus()+"{")
	}
}
