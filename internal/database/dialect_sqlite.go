package database

var inSQLite = expressionsOf{
	// It counts whole milliseconds, and is up to one behind the machine's clock. It is never ahead:
	// rounding restores the millisecond that julianday's fraction of a day stands for.
	now:     "CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000",
	delay:   "0",
	session: "0", history: "''", schema: "''", // see FilePlace.History
	justStarted: "0", needsSetup: "0", autocommits: "1", readOnly: "0",
	alike:   "SELECT name, FALSE FROM sqlite_master WHERE type IN ('table', 'view') AND LOWER(name) IN ({names})",
	indexed: "%s",
}
