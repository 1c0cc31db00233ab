package fitness

import "github.com/uidgen/uid/internal/database"

// A wanted is a column that a table needs. A table may have more columns if an insert can leave them out.
type wanted struct {
	name  string
	types string // a regular expression for the types that hold all that is written
	chars int64  // minimum width of a text
	key   bool   // part of the primary key
}

// What the databases call their types. In SQLite any column holds any value.
const (
	key    = `^(bigint|int|integer)( unsigned)?$` // of more bits than a worker ID has by default: 32
	signed = `^bigint$`                           // holds negative numbers
	count  = `^bigint( unsigned)?$`
	number = `int( unsigned)?$|^integer`
	text   = `char$|^character varying$|text$|binary$`
	date   = `^timestamp|^date$|^datetime$`
)

// The database generates the values of the counted column. The history column replaced REACH of an older version.
const (
	countedColumn = "ID"
	historyColumn = "HISTORY"
)

// columns are those of the tables, by a table's default name.
var columns = map[string][]wanted{
	database.NodeTable: {
		{countedColumn, key, 0, true}, {"HOST_NAME", text, 64, false}, {"PORT", text, 64, false},
		{"TYPE", number, 0, false}, {"LAUNCH_DATE", date, 0, false}, {"MODIFIED", date, 0, false},
		{"CREATED", date, 0, false},
	},
	database.LeaseTable: {
		{"NAMESPACE", text, 64, true}, {"WORKER_ID", signed, 0, true}, {"NONCE", text, 32, false},
		{"HIGH", signed, 0, false}, {"LEASE_UNTIL", signed, 0, false}, {"LAYOUT", text, 255, false},
		{"HOLDER", text, 128, false}, {"ACQUIRED", signed, 0, false}, {"RENEWED", signed, 0, false},
		{historyColumn, text, 190, false},
	},
	database.SegmentTable: {
		{"biz_tag", text, 128, true}, {"max_id", count, 0, false}, {"step", key, 0, false},
		{"description", text, 256, false}, {"update_time", date, 0, false},
	},
	// The longest text of takers has 14,155 bytes: TestBounds in package storage.
	database.TakerTable: {{"biz_tag", text, 128, true}, {"nonce", text, 26, false}, {"takers", text, 14155, false}},
}
