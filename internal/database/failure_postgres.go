package database

import "fmt"

// A stater is the error of a PostgreSQL server, of the drivers pgx and lib/pq.
type stater interface {
	error
	SQLState() string
}

const (
	postgresDuplicate     = "23505"
	postgresReadOnlyState = "25006"
)

const preparedElsewhere = "a pooler such as PgBouncer gives the connection's prepared statements to others: " +
	"add default_query_exec_mode=exec to the URL, for pgx"

// postgresMeaning explains the codes (SQLSTATE) that a worker may get.
var postgresMeaning = map[string]meaning{
	"08000":               {transient, "the connection failed"},
	"08001":               {transient, "the connection cannot be made"},
	"08003":               {transient, "the connection is gone"},
	"08004":               {transient, "the server refuses the connection"},
	"08006":               {transient, "the connection failed"},
	"08P01":               {transient, "the connection's protocol was broken"}, // to a pooler the server is gone
	postgresDuplicate:     {final, "a row with this key exists: is the identity column's counter behind its rows?"},
	"22003":               {final, "a value is out of its column's range"},
	"22001":               {final, "a value is too long for its column"},
	"22P05":               {final, "a text cannot be stored in the database's encoding: it has to be UTF8"},
	"22021":               {final, "a text cannot be stored in the database's encoding: it has to be UTF8"},
	"23502":               {final, "a column that workers leave out has no default value"},
	postgresReadOnlyState: {final, "the server, or the session, is read-only: is it a replica?"},
	"25P02":               {transient, "the transaction was aborted"},
	"25P03":               {transient, "the server ended a transaction that stood still"},
	"25P04":               {transient, "the server ended a transaction that took too long"},
	"28000":               {final, "access denied: wrong user, or not from this host"},
	"28P01":               {final, "access denied: wrong user or password"},
	"2200H":               {final, "the counter of the identity column is at its end"},
	"3D000":               {final, "no such database"},
	"3F000":               {final, "no such schema, or none in the search path"},
	"40000":               {transient, "the transaction was rolled back"},
	"40001":               {transient, "the row changed since it was read"},
	"40003":               {transient, "it is unknown whether the statement was carried out"},
	"40P01":               {transient, "deadlock"},
	"42501":               {final, "access denied: the account lacks this right"},
	"42703":               {final, noSuchColumn},
	"42P01":               {missingTable, "the table does not exist"},
	"26000":               {final, preparedElsewhere},
	"42P05":               {final, preparedElsewhere},
	"53000":               {transient, "the server lacks resources"},
	"53200":               {transient, "the server is out of memory"},
	"53300":               {transient, "too many connections"},
	"55P03":               {transient, "waited too long for a lock"},
	"57014":               {transient, "the query was cancelled"},
	"57P01":               {transient, "the server is shutting down"},
	"57P02":               {transient, "the server has crashed"},
	"57P03":               {transient, "the server cannot be connected to now"},
	"57P05":               {transient, "the server closed an idle connection"},
}

func translatePostgres(e stater) (kind, error) {
	state := e.SQLState()
	m, known := postgresMeaning[state]
	if !known {
		m.words = withheld
	}
	if state == "42703" {
		m.words = ofColumn(m.words, e.Error())
	}
	return m.kind, &postgresError{state, m.words}
}

// A postgresError keeps the code of a server's error.
type postgresError struct{ state, words string }

func (e *postgresError) Error() string {
	return fmt.Sprintf("PostgreSQL error %.5s: %s", e.state, e.words)
}
func (e *postgresError) SQLState() string { return e.state }

// isMadeMeanwhile reports whether a table could not be created because another client was creating it: PostgreSQL's
// IF NOT EXISTS looks only before it begins.
func isMadeMeanwhile(err error) bool {
	_, state, _ := codes(err)
	return state == postgresDuplicate || state == "42710" || state == "42P07"
}
