package database

// A Verdict is a judgement of one thing in a database.
type Verdict struct {
	Severity Severity
	// What was examined, and the Value found. Neither holds a name of an account, a database or a
	// host.
	What, Value string
	// Why it matters and what to Do; both are empty when it is Fine.
	Why, Do string
}

// A Severity says how much a Verdict matters.
type Severity int

// The severities, in ascending order.
const (
	Fine  Severity = iota // as it should be
	Note                  // good to know
	Warn                  // may do harm, or wastes IDs
	Wrong                 // workers fail, or UIDs can come twice
)
