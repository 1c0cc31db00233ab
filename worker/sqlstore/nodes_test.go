package sqlstore

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker/lease"
)

func TestCounterOf(t *testing.T) {
	const columns = "CREATE TABLE `WORKER_NODE` (\n  `ID` bigint(20) NOT NULL AUTO_INCREMENT" +
		" COMMENT 'AUTO_INCREMENT=3',\n  PRIMARY KEY (`ID`)\n)"
	for options, want := range map[string]int64{
		" ENGINE=InnoDB AUTO_INCREMENT=18 DEFAULT CHARSET=utf8mb4 COMMENT='x'":                        18,
		" ENGINE=InnoDB AUTO_INCREMENT=18":                                                            18,
		" ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin AUTO_INCREMENT=30001 COMMENT='x'": 30001,
		" ENGINE=InnoDB DEFAULT CHARSET=utf8mb4":                                                      1,
		" ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT=' AUTO_INCREMENT=7'":                          1,
		"": 0, // with sql_mode NO_TABLE_OPTIONS
		" ENGINE=InnoDB AUTO_INCREMENT=99999999999999999999": math.MaxInt64,
	} {
		require.Equal(t, want, counterOf(columns+options), options)
	}
	require.Zero(t, counterOf("CREATE TABLE `WORKER_NODE` (\n  `ID` bigint(20) NOT NULL\n) ENGINE=InnoDB"))
	require.Zero(t, counterOf(""))
}

// HOLDER of a namespace's own row is read as it was written, and any other text is refused.
func TestHolder(t *testing.T) {
	for text, want := range map[string]storage.Namespace{
		"":                                 {Given: -1},
		"all worker IDs, given up to 0":    {Given: 0},
		"worker IDs 18 to 37":              {Given: -1, IDs: lease.Range{First: 18, Last: 37}},
		"worker IDs 0 to 9, given up to 7": {Given: 7, IDs: lease.Range{First: 0, Last: 9}},
	} {
		ids, given, err := heldBy(text)
		require.NoError(t, err, text)
		require.Equal(t, want, storage.Namespace{IDs: ids, Given: given})
		require.Equal(t, text, holderOf(ids, given))
	}
	for _, text := range []string{
		"all worker IDs", "all worker IDs, given up to", "all worker IDs, given up to -1",
		"all worker IDs, given up to 07", "given up to 7", "worker IDs 0 to 9, given up to x", ", given up to 7",
		"all worker IDs, given up to 7 ", "worker IDs 9 to 0", "worker IDs -1 to 4",
	} {
		_, _, err := heldBy(text)
		require.ErrorIs(t, err, uid.ErrConfig, text)
	}
}
