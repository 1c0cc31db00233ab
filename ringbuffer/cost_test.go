package ringbuffer

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"
)

// Each of the groups that different parties write lies on cache lines of its own, at
// whatever address the ring begins.
func TestPadding(t *testing.T) {
	const line = unsafe.Sizeof(cpu.CacheLinePad{})
	var r Ring
	type group struct {
		name       string
		begin, end uintptr
	}
	groups := []group{
		{"what comes before the ring", 0, 0},
		{"cursor", unsafe.Offsetof(r.cursor), unsafe.Offsetof(r.cursor) + unsafe.Sizeof(r.cursor)},
		{"front and what never changes", unsafe.Offsetof(r.front),
			unsafe.Offsetof(r.valBits) + unsafe.Sizeof(r.valBits)},
		{"tail", unsafe.Offsetof(r.tail), unsafe.Offsetof(r.tail) + unsafe.Sizeof(r.tail)},
		{"what comes after the ring", unsafe.Sizeof(r), unsafe.Sizeof(r)},
	}
	for i, g := range groups[1:] {
		before := groups[i]
		require.GreaterOrEqual(t, g.begin, before.end+line, "%s is on a line of %s", g.name, before.name)
		require.LessOrEqual(t, g.end-g.begin, line, "%s need more than a line", g.name)
	}
	for name, at := range map[string]uintptr{
		"slots": unsafe.Offsetof(r.slots), "seqMask": unsafe.Offsetof(r.seqMask), "seqBits": unsafe.Offsetof(r.seqBits),
	} {
		require.Greater(t, at, groups[2].begin, name)
		require.Less(t, at, groups[2].end, name)
	}
	require.GreaterOrEqual(t, unsafe.Sizeof(slot{}), line+unsafe.Sizeof(r.slots[0].flag), "two flags share a line")
	require.Zero(t, unsafe.Offsetof(r.cursor)%8)
	require.Zero(t, unsafe.Sizeof(slot{})%8, "flags must be aligned on 32-bit machines, too")
}

func TestNoAllocations(t *testing.T) {
	r := newRing(t, 4, 4, 5)
	startAt(t, r, 50, 0)
	var sum uint64
	for name, f := range map[string]func(){
		"Take": func() { v, _, _ := r.Take(); sum += v },
		"Take, Resolve and Put": func() {
			v, pos, ok := r.Take()
			if !ok {
				v, _ = r.Resolve(pos)
			}
			if r.Enters(pos) && r.hasRoom() {
				_ = put(r, r.Tail())
			}
			sum += v
		},
		"Claim": func() { sum += r.Claim(3) },
		"TakeN": func() { v, _, _ := r.TakeN(3); sum += v },
		"a full ring's Put": func() {
			for range r.Runs() + 1 {
				_ = put(r, r.Tail())
			}
		},
		"Shut, Restart and Open": func() {
			r.Shut()
			_ = restart(r, r.Tail()+1, 3)
			r.Open()
		},
		"Shut, Skip and Open": func() {
			_ = put(r, r.Tail())
			r.Shut()
			_ = r.Skip(r.Tail()-1, 3)
			r.Open()
		},
		"what is asked": func() {
			sum += r.Position() + r.Buffered() + r.Ready() + r.Claimed() + r.Tail() + r.Left(sum) + r.Tick(sum)
		},
	} {
		require.Zero(t, testing.AllocsPerRun(200, f), name)
	}
}
