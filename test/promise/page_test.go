package promise

import (
	"fmt"
	"slices"
	"strings"
)

// promiseHead is what the page says before its tables.
const promiseHead = `<!-- Written by make docs. Do not edit: the tables are in test/promise. -->

# What is promised, and what is not

**No UID is issued twice, within one layout and one space of worker IDs.** A space gives each ID to one owner at a time: a namespace of
leases in one table of one database; one table of disposable IDs; or whatever numbers processes with a state file or a static
ID. UIDs of two spaces, or of two layouts, can be equal.

Each cell below is a test: it plays a fault against a way to get a worker ID, with ` + "`cached` and `uncached`" + `, marks every UID, and counts those
that come twice. Other faults are not tested.

| in a cell | its test shows |
|---|---|
| unique | no UID comes twice, though a start or a renewal may be refused |
| if | the same under the condition of the note; without it, UIDs come twice |
| **no** | not covered: UIDs come twice |
| – | this way, or an engine not named, does not use what the fault is of; no UID comes twice |

`

// promiseFoot is what it says after them.
const promiseFoot = `## How to run it

` + "`go test -v ./test/promise -run 'TestPromise$/<fault>$/<way>$'`" + ` plays a cell. ` + "`make test`" + ` plays all on MariaDB and SQLite; ` + "`make promise`" + ` on MySQL 9,
Galera, PostgreSQL, etcd, ZooKeeper and Redis, whose names replace ` + "`mysql`" + ` in a way's name. Stores of keys have no disposable IDs; etcd and
ZooKeeper, which lose no write, only the ways with Losses: Never.

Real workers and generators play several processes inside of one, beside one to three more that draw all the time. A failover is
lost commits and another history; a clone is a generator with the same reservation.
`

// renderPromise returns the page.
func renderPromise() string {
	var b strings.Builder
	b.WriteString(promiseHead)
	b.WriteString("| column | worker | ways |\n|---|---|---|\n")
	for _, col := range columns {
		var names []string
		for _, w := range ways {
			if w.column == col.key && (w.suffix == "" || w.always) {
				names = append(names, "`"+w.name+"`")
			}
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", col.title, col.of, strings.Join(names, ", "))
	}
	for _, c := range matrix {
		c.render(&b)
	}
	b.WriteString("\n" + promiseFoot)
	return b.String()
}

func (c chapter) render(b *strings.Builder) {
	var notes []string
	rows := make([][]string, len(columns)) // by column
	for _, f := range c.faults {
		for i, col := range columns {
			rows[i] = append(rows[i], f.inColumn(col, &notes))
		}
	}
	fmt.Fprintf(b, "\n## %s\n\n| fault |", c.title)
	var shown []int
	for i, col := range columns {
		if strings.HasSuffix(col.title, ", state file") && slices.Equal(rows[i], rows[i-1]) {
			continue // as without the file
		}
		shown = append(shown, i)
		fmt.Fprintf(b, " %s |", col.title)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(shown)) + "\n")
	var everywhere []string // of faults that do no harm
	for n, f := range c.faults {
		harmless := true
		for _, i := range shown {
			harmless = harmless && (rows[i][n] == "unique" || rows[i][n] == noPartText)
		}
		if harmless {
			everywhere = append(everywhere, fmt.Sprintf("- %s: `%s`\n", f.title, f.name))
			continue
		}
		fmt.Fprintf(b, "| %s: `%s` |", f.title, f.name)
		for _, i := range shown {
			fmt.Fprintf(b, " %s |", rows[i][n])
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	for i, note := range notes {
		fmt.Fprintf(b, "%d. %s.\n", i+1, sentence(note))
	}
	fmt.Fprintf(b, "\nUnique with every kind of worker ID:\n\n%s", strings.Join(everywhere, ""))
}

// inColumn returns the text of a cell, of each kind of database where they differ.
func (f fault) inColumn(col column, notes *[]string) string {
	var texts []string
	titles := map[string][]string{} // of the engines with a text
	for _, w := range ways {
		if w.column != col.key {
			continue
		}
		c, _ := f.cell(w)
		text := c.text(notes)
		if titles[text] == nil {
			texts = append(texts, text)
		}
		if !slices.Contains(titles[text], w.title) {
			titles[text] = append(titles[text], w.title)
		}
	}
	// What some engines have no part in, the others say alone.
	if len(texts) == 2 && slices.Contains(texts, "unique") && slices.Contains(texts, noPartText) {
		return "unique"
	}
	if len(texts) > 1 {
		texts = slices.DeleteFunc(texts, func(text string) bool { return text == noPartText })
	} else {
		return texts[0]
	}
	for i, text := range texts {
		texts[i] = strings.Join(titles[text], ", ") + ": " + text
	}
	return strings.Join(texts, "<br>")
}

// noPartText is what the page says of vNoPart.
const noPartText = "–"

// text returns the verdict, with the number of its note.
func (c cell) text(notes *[]string) string {
	text := map[verdict]string{vUnique: "unique", vUniqueIf: "if", vNotCovered: "**no**", vNoPart: noPartText}[c.verdict]
	if c.note == "" {
		return text
	}
	i := slices.Index(*notes, c.note)
	if i < 0 {
		i = len(*notes)
		*notes = append(*notes, c.note)
	}
	return fmt.Sprintf("%s (%d)", text, i+1)
}

// sentence begins a text with a capital letter.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
