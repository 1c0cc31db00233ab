package uid_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// FuzzParts writes parts as JSON, which encoding/json reads back, and as text.
func FuzzParts(f *testing.F) {
	f.Add(int64(180363646902239241), int64(1468922873), int64(0), int64(4), int64(9), "", 0, "", 0)
	f.Add(int64(0), int64(1656432460), int64(105e6), int64(378), int64(0), "datacenter", 5, "worker", 5)
	f.Add(int64(-1), int64(math.MaxInt64), int64(-1), int64(-5), int64(-9), "_", 63, "a\"b", -1)
	f.Fuzz(func(t *testing.T, u, sec, nsec, worker, sequence int64, name1 string, bits1 int, name2 string, bits2 int) {
		fields := fmt.Sprintf("%s:%d,%s:%d", name1, bits1, name2, bits2)
		const lastSecond = 253402300799 // of year 9999, beyond which encoding/json reads no time
		at := time.Unix(min(max(sec, 0), lastSecond), min(max(nsec, 0), 999_999_999)).UTC()
		p := uid.Parts{UID: uid.UID(u), Time: at, WorkerID: worker, Sequence: sequence, Fields: fields}
		require.NotEmpty(t, p.String())

		text, err := json.Marshal(p)
		if u < 0 {
			require.ErrorIs(t, err, uid.ErrRange)
			return
		}
		require.NoError(t, err)
		back := must(read[uid.Parts](text))
		back.Fields = fields
		require.Equal(t, p, back)
	})
}
