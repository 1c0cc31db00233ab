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

// postgresMeaning explains the codes (SQLSTATE) that a worker meets.
var postgresMeaning = map[string]meaning{
	"08000":               {Transient, "the connection failed"},
	"08001":               {Transient, "the connection cannot be made"},
	"08003":               {Transient, "the connection is gone"},
	"08004":               {Transient, "the server refuses the connection"},
	"08006":               {Transient, "the connection failed"},
	"08P01":               {Transient, "the connection's protocol was broken"}, // to a pooler the server is gone
	postgresDuplicate:     {Final, "a row with this key exists: is the identity column's counter behind its rows?"},
	"22003":               {Final, "a value is out of its column's range"},
	"22001":               {Final, "a value is too long for its column"},
	"22P05":               {Final, "a text cannot be stored in the database's encoding: it has to be UTF8"},
	"22021":               {Final, "a text cannot be stored in the database's encoding: it has to be UTF8"},
	"23502":               {Final, "a column that workers leave out has no default value"},
	postgresReadOnlyState: {Final, "the server, or the session, is read-only: is it a replica?"},
	"25P02":               {Transient, "the transaction was aborted"},
	"25P03":               {Transient, "the server ended a transaction that stood still"},
	"25P04":               {Transient, "the server ended a transaction that took too long"},
	"28000":               {Final, "access denied: wrong user, or not from this host"},
	"28P01":               {Final, "access denied: wrong user or password"},
	"2200H":               {Final, "the counter of the identity column is at its end"},
	"3D000":               {Final, "no such database"},
	"3F000":               {Final, "no such schema, or none in the search path"},
	"40000":               {Transient, "the transaction was rolled back"},
	"40001":               {Transient, "the row changed since it was read"},
	"40003":               {Transient, "it is unknown whether the statement was carried out"},
	"40P01":               {Transient, "deadlock"},
	"42501":               {Final, "access denied: the account lacks this right"},
	"42703":               {Final, noSuchColumn},
	"42P01":               {MissingTable, "the table does not exist"},
	"26000":               {Final, preparedElsewhere},
	"42P05":               {Final, preparedElsewhere},
	"53000":               {Transient, "the server lacks resources"},
	"53200":               {Transient, "the server is out of memory"},
	"53300":               {Transient, "too many connections"},
	"55P03":               {Transient, "waited too long for a lock"},
	"57014":               {Transient, "the query was cancelled"},
	"57P01":               {Transient, "the server is shutting down"},
	"57P02":               {Transient, "the server has crashed"},
	"57P03":               {Transient, "the server cannot be connected to now"},
	"57P05":               {Transient, "the server closed an idle connection"},
}

func translatePostgres(e stater) (Kind, error) {
	state := e.SQLState()
	m, known := postgresMeaning[state]
	if !known {
		m.words = "(the server's text is withheld, for it may name the account)"
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

// IsMadeMeanwhile reports whether a table could not be created because somebody else has just done
// so. PostgreSQL looks for it only before it begins.
func IsMadeMeanwhile(err error) bool {
	_, state, _ := Codes(err)
	return state == postgresDuplicate || state == "42710" || state == "42P07"
}
