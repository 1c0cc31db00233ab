package database

// A Column is a column that a table needs. A table may have more columns if an insert can leave
// them out.
type Column struct {
	Name  string
	Types string // that hold what is written to it, as a regular expression
	Chars int64  // minimum width of a text
}

// What the databases call their types, but SQLite, of which any column holds any value.
const (
	key    = `^(bigint|int|integer)( unsigned)?$` // of more bits than a worker ID has by default: 32
	signed = `^bigint$`                           // holds negative numbers
	count  = `^bigint( unsigned)?$`
	number = `int( unsigned)?$|^integer`
	text   = `char$|^character varying$|text$|binary$`
	date   = `^timestamp|^date$|^datetime$`
)

// CountedColumn is the column whose values the database generates. HistoryColumn came later than the others,
// in the place of REACH.
const (
	CountedColumn = "ID"
	HistoryColumn = "HISTORY"
)

// NodeColumns are the columns of the table of disposable IDs.
var NodeColumns = []Column{
	{CountedColumn, key, 0}, {"HOST_NAME", text, 64}, {"PORT", text, 64}, {"TYPE", number, 0},
	{"LAUNCH_DATE", date, 0}, {"MODIFIED", date, 0}, {"CREATED", date, 0},
}

// LeaseColumns are the columns of the table of leased IDs.
var LeaseColumns = []Column{
	{"NAMESPACE", text, 64}, {"WORKER_ID", signed, 0}, {"NONCE", text, 32}, {"HIGH", signed, 0},
	{"LEASE_UNTIL", signed, 0}, {"LAYOUT", text, 255}, {"HOLDER", text, 128}, {"ACQUIRED", signed, 0},
	{"RENEWED", signed, 0}, {HistoryColumn, text, 190},
}

// SegmentColumns are the columns of Leaf's table of segments, and TakerColumns those of the table
// beside it. The longest text of takers has 14,155 bytes: TestBounds in package storage.
var (
	SegmentColumns = []Column{
		{"biz_tag", text, 128}, {"max_id", count, 0}, {"step", key, 0}, {"description", text, 256},
		{"update_time", date, 0},
	}
	TakerColumns = []Column{{"biz_tag", text, 128}, {"nonce", text, 26}, {"takers", text, 14155}}
)

// IsKey reports whether a table needs the column in its primary key.
func (c Column) IsKey() bool {
	return c.Name == CountedColumn || c.Name == "NAMESPACE" || c.Name == "WORKER_ID" || c.Name == "biz_tag"
}
