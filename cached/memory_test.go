package cached_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cached"
)

// memory returns the bytes in use on the heap and in stacks.
func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

func TestMemoryOfAGenerator(t *testing.T) {
	const n = 200
	before := memory()
	all := make([]*cached.Generator, n)
	for i := range all {
		all[i] = start(t, &fakeWorker{}, nil, cached.Config{})
		_, err := all[i].GetUID()
		require.NoError(t, err)
	}
	require.Less(t, (memory()-before)/n, uint64(8<<10))
	runtime.KeepAlive(all)
}
