package uncached

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A page that shows Stats has the text of the error, which by itself would be {}.
func TestStatsInJSON(t *testing.T) {
	for _, failure := range []error{nil, errors.New(`the "database" is down`)} {
		text, err := json.Marshal(Stats{WorkerID: 7, Lead: time.Second, ReservationError: failure})
		require.NoError(t, err)
		var read map[string]any
		require.NoError(t, json.Unmarshal(text, &read))
		require.EqualValues(t, 7, read["WorkerID"])
		require.EqualValues(t, time.Second, read["Lead"])
		if failure == nil {
			require.Contains(t, read, "ReservationError")
			require.Nil(t, read["ReservationError"])
		} else {
			require.Equal(t, failure.Error(), read["ReservationError"])
		}
		// By pointer and within other values as well.
		inside, err := json.Marshal(map[string]any{"a": &Stats{ReservationError: failure}, "b": Stats{}})
		require.NoError(t, err)
		require.NotContains(t, string(inside), "{}")
	}
}
