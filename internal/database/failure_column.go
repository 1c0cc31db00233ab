package database

import (
	"regexp"
	"strings"
)

const noSuchColumn = "a column is missing"

// mysqlOfColumn explains the server errors that name a column, all of them final.
var mysqlOfColumn = map[uint16]string{
	1054: noSuchColumn,
	1264: "a value is out of its column's range",
	1364: "a column that workers leave out has no default value",
	1366: "a value does not fit its column",
	1406: "a value is too long for its column",
}

// ofColumn adds the name of a column of ours that the server's text names. It passes on nothing else of the text, into
// which a table, a trigger or a view can write anything.
func ofColumn(words, text string) string {
	if name := ourColumn.FindStringSubmatch(text); name != nil {
		return words + ": " + strings.ToUpper(name[1])
	}
	return words
}

// ourColumn finds one of our columns where servers put its name: in quotes, behind a table, or as SQLite does.
var ourColumn = func() *regexp.Regexp {
	column := regexp.MustCompile(`(?m)^  (\w+) +(?:BIGINT|INT|VARCHAR|DATE|TIMESTAMP)`)
	var names []string
	for _, table := range []string{NodeTable, LeaseTable, SegmentTable, TakerTable} {
		text, _ := MySQL.schema(table, table)
		for _, line := range column.FindAllStringSubmatch(text, -1) {
			names = append(names, line[1])
		}
	}
	const before = "(?i)(?:['`\".]|has no column named |no such column: )"
	return regexp.MustCompile(before + "(" + strings.Join(names, "|") + ")\\b")
}()
