package database

import (
	"regexp"
	"slices"
	"strings"
)

const noSuchColumn = "a column is missing"

// mysqlOfColumn explains the error numbers, all of them final, of server errors that name a
// column.
var mysqlOfColumn = map[uint16]string{
	1054: noSuchColumn,
	1264: "a value is out of its column's range",
	1364: "a column that workers leave out has no default value",
	1366: "a value does not fit its column",
	1406: "a value is too long for its column",
}

// ofColumn adds the name of the column, if text, the server's, names one of ours. It passes on
// nothing else of text: a table, a trigger or a view can make a server say anything.
func ofColumn(words, text string) string {
	if name := ourColumn.FindStringSubmatch(text); name != nil {
		return words + ": " + strings.ToUpper(name[1])
	}
	return words
}

// ourColumn finds one of our columns where servers put its name: in quotes, behind a table, or as
// SQLite does.
var ourColumn = func() *regexp.Regexp {
	var names []string
	for _, c := range slices.Concat(NodeColumns, LeaseColumns, SegmentColumns, TakerColumns) {
		names = append(names, c.Name)
	}
	const before = "(?i)(?:['`\".]|has no column named |no such column: )"
	return regexp.MustCompile(before + "(" + strings.Join(names, "|") + ")\\b")
}()
