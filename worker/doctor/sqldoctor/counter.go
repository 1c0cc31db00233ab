package sqldoctor

import (
	"fmt"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/doctor"
	"github.com/uidgen/uid/worker/registry"
)

// judgeCounter judges what a table's next disposable ID will be.
func judgeCounter(n registry.NodeInfo, dialect database.Dialect, table string) doctor.Finding {
	f := doctor.Finding{Level: doctor.LevelOK, What: "counter of disposable IDs", Value: fmt.Sprintf("next ID %d, largest ID %d", n.Next, n.Last)}
	switch {
	case n.Next == 0:
		f.Value = fmt.Sprintf("next ID not told, largest ID %d", n.Last)
	case n.Next <= n.Last:
		f.Level = doctor.LevelError
		f.Why = fmt.Sprintf("The counter is not above the largest ID: the next starts fail or, where the row of ID %d is gone, get an ID that was used before.", n.Next)
		f.Do = fmt.Sprintf("ALTER TABLE %s AUTO_INCREMENT = %d", table, n.Last+1)
		switch dialect {
		case database.Postgres:
			f.Do = fmt.Sprintf("ALTER TABLE %s ALTER COLUMN ID RESTART WITH %d", table, n.Last+1)
		case database.SQLite:
			f.Do = fmt.Sprintf("UPDATE sqlite_sequence SET seq = %d WHERE name = '%s'", n.Last, table)
		}
	}
	return f
}
