package scheme

import (
	"fmt"
	"strings"

	"github.com/uidgen/uid"
)

// noStore is the error of what is neither a URL nor a path. SQLite would make a file of any name; so two
// hosts that mistype the address of one server would each have a file, and in it the same worker IDs.
func noStore() error {
	return fmt.Errorf("%w: it names no store: a server has a URL such as mysql://user:password@host:3306/database, "+
		"and a SQLite file has a path such as ./workers.db, which has a / or ends in .db or .sqlite, "+
		"has none of : @ $ = %% and no space around it, and neither begins as name// does nor ends in /", uid.ErrConfig)
}

// isPath reports whether a text is the path of a file and cannot be meant for something else: for a
// URL or a DSN with a character too many, too few or wrong, or for a variable that no shell has
// expanded.
func isPath(text, goos string) bool {
	if goos == "windows" {
		text = strings.ReplaceAll(text, `\`, "/")
		if len(text) > 2 && text[1:3] == ":/" { // behind the letter of a drive
			text = text[:1] + text[2:]
		}
	}
	first, rest, folders := strings.Cut(text, "/")
	return (folders || strings.HasSuffix(text, ".db") || strings.HasSuffix(text, ".sqlite")) &&
		!strings.ContainsAny(text, ":@$=%") && !strings.HasSuffix(text, "/") &&
		strings.TrimSpace(text) == text && (first == "" || !strings.HasPrefix(rest, "/"))
}
