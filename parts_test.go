package uid_test

import (
	"encoding/json"
	"maps"
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
