package uid_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

func TestPartsText(t *testing.T) {
	whole := uid.Parts{
		UID: 180363646902239241, Time: time.Date(2016, 7, 19, 10, 7, 53, 0, time.UTC), WorkerID: 4, Sequence: 9,
	}
	require.Equal(t, "180363646902239241: 2016-07-19T10:07:53Z, worker 4, sequence 9", whole.String())
	b := must(json.Marshal(whole))
	require.Equal(t, `{"uid":"180363646902239241","time":"2016-07-19T10:07:53Z","worker_id":4,"sequence":9}`, string(b))
	require.Equal(t, whole, must(read[uid.Parts](b)))

	parted := uid.Parts{
		UID: 1541815603606036480, Time: time.Date(2022, 6, 28, 16, 7, 40, 105e6, time.UTC), WorkerID: 378,
		Fields: "datacenter:5,worker:5",
	}
	require.Equal(t, "1541815603606036480: 2022-06-28T16:07:40.105Z, "+
		"worker 378 (datacenter 11, worker 26), sequence 0", parted.String())
	b = must(json.Marshal(parted))
	require.Equal(t, `{"uid":"1541815603606036480","time":"2022-06-28T16:07:40.105Z","worker_id":378,`+
		`"machine":{"datacenter":11,"worker":26},"sequence":0}`, string(b))
	require.Equal(t, map[string]int64{"datacenter": 11, "worker": 26}, maps.Collect(parted.Machine()))
	require.Empty(t, maps.Collect(whole.Machine()))

	for range parted.Machine() { // may be left early
		break
	}
	for _, text := range []string{"a", "a:0", "a:-1", "a:64", "a:60,b:4", ",", "a:1,", `"}:5`, "A:1"} {
		parted.Fields = text
		require.Empty(t, maps.Collect(parted.Machine()), text)
		_, err := json.Marshal(parted)
		require.NoError(t, err, text)
	}

	far := uid.Parts{Time: time.Unix(1<<50, 0).UTC()}
	b, err := json.Marshal(far)
	require.NoError(t, err, "a year of eight digits")
	require.Contains(t, string(b), `"time":"35680317-09-25T`)
}

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
