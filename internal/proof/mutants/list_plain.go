package main

const (
	plainDriverGo = "internal/database/driver.go"
	plainDBGo     = "worker/sqlstore/db.go"
)

// plainDatabases are faults of how a sql.DB becomes a store.
var plainDatabases = []mutant{
	{
		name: "plain sql.DB: an unknown driver speaks MySQL", file: plainDriverGo,
		from: "return driver.String()",
		to:   "return \"mysql\"", in: "./worker/sqlstore", tests: "^TestPlainDatabase$",
	},
	{
		name: "plain sql.DB: a driver that is a pointer is not known", file: plainDriverGo,
		from: "named = named.Elem()",
		to:   "_ = named", in: "./worker/sqlstore", tests: "^TestPlainDatabase$",
	},
	{
		name: "plain sql.DB: a connector without a driver ends the program", file: plainDriverGo,
		from: "if driver == nil {",
		to:   "if false {", in: "./worker/sqlstore", tests: "^TestPlainDatabase$",
	},
	{
		name: "plain sql.DB: no database is taken for one", file: plainDBGo,
		from: "if db != nil {",
		to:   "if true {", in: "./worker/sqlstore", tests: "^TestConfigIsChecked$",
	},
}
