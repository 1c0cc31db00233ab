package infer

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/uidgen/uid"
)

// maxRows is how many rows are read. More tell nothing that these do not.
const maxRows = 100_000

// ReadRows reads lines with an ID and a time, separated by a tab, a comma, a semicolon, a bar or spaces, with quotes or
// without: what people paste, CSV, and what mysql and psql print. Lines without a digit, and a first line of names, are
// passed over, and so is psql's count of rows. It returns ErrSyntax for any other line.
func ReadRows(in io.Reader) (rows []Row, err error) {
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan() && len(rows) < maxRows; n++ {
		line := strings.Trim(lines.Text(), "| \t\r")
		if !strings.ContainsAny(line, "0123456789") || strings.HasPrefix(line, "(") && strings.HasSuffix(line, ")") {
			continue
		}
		row, err := readRow(line)
		if err != nil {
			if len(rows) == 0 && n == 1 {
				continue // names of columns may have digits
			}
			return nil, fmt.Errorf("%w: line %d: %w", uid.ErrSyntax, n, err)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", uid.ErrSyntax, err)
	}
	return rows, nil
}

func readRow(line string) (Row, error) {
	i := strings.IndexAny(line, "\t,;|")
	if i < 0 {
		i = strings.IndexByte(line, ' ')
	}
	if i < 0 {
		return Row{}, fmt.Errorf("%.60q has no ID and time", line)
	}
	id, err := strconv.ParseInt(bare(line[:i]), 10, 64)
	if err != nil {
		return Row{}, fmt.Errorf("%.40q is no ID", bare(line[:i]))
	}
	at, err := readTime(bare(line[i+1:]))
	return Row{ID: id, At: at}, err
}

func bare(word string) string { return strings.Trim(word, "\"' \t") }

// forms are how databases and programs write times. Without a zone they are taken to be of UTC.
var forms = []string{
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07", time.RFC3339, "2006-01-02 15:04:05", "2006-01-02T15:04:05",
	"2006-01-02 15:04:05 -0700 MST", "2006-01-02 15:04:05 MST",
}

// readTime reads a time, or a number of seconds or milliseconds since 1970.
func readTime(word string) (time.Time, error) {
	if seconds, err := strconv.ParseFloat(word, 64); err == nil {
		const milliseconds = 1e11 // 5138 as seconds, 1973 as milliseconds
		switch {
		case seconds < 0 || seconds >= 1e14:
			return time.Time{}, fmt.Errorf("%.40q is no number of seconds or milliseconds since 1970", word)
		case seconds >= milliseconds:
			return time.UnixMilli(int64(seconds)).UTC(), nil
		}
		return time.UnixMicro(int64(seconds * 1e6)).UTC(), nil
	}
	for _, form := range forms {
		if at, err := time.Parse(form, word); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%.40q is no time: want seconds since 1970, or 2006-01-02 15:04:05", word)
}
