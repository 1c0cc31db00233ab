package zookeeper

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/worker"
)

// missing is a connection that does not see a node.
type missingNode struct {
	*fakeConn
	path string
}

func (c missingNode) Get(path string) ([]byte, *zk.Stat, error) {
	if path == c.path {
		return nil, &zk.Stat{}, zk.ErrNoNode
	}
	return c.fakeConn.Get(path)
}

// A row that is removed while a page is read does not end the page: who reads all pages would take it
// for the last one.
func TestSegmentsPages(t *testing.T) {
	f := newFake(time.Now)
	s := stored(t, f, missingNode{f.connect(false), "/uid/.segments/b"}, Config{}).Segments()
	whole := stored(t, f, f.connect(false), Config{}).Segments()
	for _, tag := range []string{"a", "b", "c"} {
		require.NoError(t, whole.Change(t.Context(), tag, orders.Draw(1)))
	}
	want, newest := []string{"a", "c"}, f.states[len(f.states)-1]
	for i := range batch {
		tag := fmt.Sprintf("t%04d", i)
		want, newest["/uid/.segments/"+tag] = append(want, tag), newest["/uid/.segments/a"]
	}
	for _, most := range []int{-1, 0, 1, 2, 3, batch, batch + 1, len(want), len(want) + 1} {
		tags := []string{}
		for _, r := range orders.Rows(t, s, most) {
			tags = append(tags, r.Tag)
		}
		require.Equal(t, want[:min(max(most, 0), len(want))], tags, most)
	}

	// A Query may have more keys than are asked for together.
	q := stores.Query{Newest: true}
	for _, tag := range want {
		q.Keys = append(q.Keys, stores.Key{Tag: tag, ID: -1}.String())
	}
	a, err := stored(t, f, f.connect(false), Config{}).Driver().Read(t.Context(), q)
	require.NoError(t, err)
	require.NotEmpty(t, a.Records[len(want)-1].Text)
}

// A take is a read and a write. The nodes of segments are beside those of namespaces, and are checked with them.
func TestSegmentsRoundTrips(t *testing.T) {
	clock := newHandClock()
	f := newFake(clock.Now)
	conn := f.connect(false)
	all := stored(t, f, conn, Config{})
	s := all.Segments()
	require.NoError(t, s.Change(t.Context(), "../a b", orders.Draw(1)))
	clock.Step(time.Hour)
	conn.counts()
	require.NoError(t, s.Change(t.Context(), "../a b", orders.Draw(1)))
	reads, writes := conn.counts()
	require.Equal(t, []int{1, 1}, []int{reads, writes})
	want := storage.Segment{Tag: "../a b", Next: 2, Step: 1, Updated: clock.Now().UTC()}
	require.Equal(t, []storage.Segment{want}, orders.Rows(t, s, 10))

	conn.counts()
	_, _, err := all.Registry().Namespaces(t.Context())
	require.ErrorIs(t, err, worker.ErrNoNamespace, "segments are no namespace of leases")
	reads, _ = conn.counts()
	require.Equal(t, 1, reads, "their list is left alone")
	require.Contains(t, find(t, all, "rights on the nodes").Value, "2 of 2")
}
