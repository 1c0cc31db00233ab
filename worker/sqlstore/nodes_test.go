package sqlstore

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCounterOf(t *testing.T) {
	const columns = "CREATE TABLE `WORKER_NODE` (\n  `ID` bigint(20) NOT NULL AUTO_INCREMENT COMMENT 'AUTO_INCREMENT=3',\n  PRIMARY KEY (`ID`)\n)"
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
