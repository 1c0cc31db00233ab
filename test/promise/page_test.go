package promise

import (
	"fmt"
	"slices"
	"strings"
)

// promiseHead is what the page says before its tables.
const promiseHead = `<!-- Written by make docs. Do not edit: the tables are in test/promise. -->

# What is promised, and what is not

**No UID is issued twice, within one layout and one space of worker IDs.** A space is what gives each ID to one owner at a
time: a namespace of leases in one table of one database; one table of disposable IDs; or whatever numbers the processes
that have a state file or a static ID. UIDs of two spaces can be equal, and so can UIDs of two layouts. Two services that
need UIDs unlike each other's share a space and a layout.

The tables say what becomes of that when things go wrong, for each way to get a worker ID. Each cell is a test, which plays
the fault with generators of both kinds (package ` + "`cached`" + ` and package ` + "`uncached`" + `), marks every UID that they draw and counts
those that come twice:

| in a cell | its test shows |
|---|---|
| unique | no UID comes twice, though a start or a renewal may be refused |
| unique if | none does under the condition; without it, UIDs come twice |
| **not covered** | UIDs come twice |
| not used | the fault is of something that the way does not use; its test plays the fault all the same, and no UID comes twice |

`

// promiseFoot is what it says after them.
const promiseFoot = `## What the tests are

Processes are played inside of one, with the real workers and generators, on a real MariaDB server and on real SQLite files
(` + "`make test`" + `); and on MySQL 9, Galera, PostgreSQL, etcd, ZooKeeper and Redis (` + "`make promise`" + `), whose names stand in the place of ` + "`mysql`" + ` in a
test's name, with UID_TEST_ENGINES=mysql9,galera,postgres,etcd,zookeeper,redis, or some of them. No ways are disposable in stores of keys,
and etcd and ZooKeeper, which never lose a write, have those with Losses: Never alone.
Each cell has one more that draws all the time, or three more where the fault is of the database or its rows; what
any of them draws is compared with what all have drawn.
Time does not pass but is set: all clocks, that of one process, or that of the database. (A clock of the tests is read for each
UID. With the machine's own, ` + "`uncached`" + ` sees a step up to a millisecond later, by the monotonic clock, which on Linux stands still
during a suspension; UIDs until then have the time from before. No cell depends on it: what may be issued is decided by reserved
ticks and marks.) A lost commit is one that is taken
back, a failover to another server is that and another history told of the same one, and a clone is a generator with the same
reservation. Where a test with processes, servers and signals of its own
shows the same, it is named under the table. ` + "`make soak`" + ` plays most of these faults at random, for as long as you like.

A fault that is not in the tables is neither promised nor excluded: nobody has looked.
`

// renderPromise returns the page.
func renderPromise() string {
	var b strings.Builder
	b.WriteString(promiseHead)
	b.WriteString("A cell's test is `go test ./test/promise -run 'TestPromise$/<fault>$/<way>$'`, " +
		"with the fault's name from its row and the way's from this list:\n\n" +
		"| column | worker | ways |\n|---|---|---|\n")
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
	fmt.Fprintf(b, "\n## %s\n\n| fault |", c.title)
	for _, col := range columns {
		fmt.Fprintf(b, " %s |", col.title)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	var notes []string
	for _, f := range c.faults {
		fmt.Fprintf(b, "| %s: `%s` |", f.title, f.name)
		for _, col := range columns {
			fmt.Fprintf(b, " %s |", f.inColumn(col, &notes))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	for i, note := range notes {
		fmt.Fprintf(b, "%d. %s.\n", i+1, sentence(note))
	}
	b.WriteString("\nHow they are played:\n\n")
	for _, f := range c.faults {
		fmt.Fprintf(b, "- `%s`: %s", f.name, f.what)
		for i, test := range f.also {
			folder, name, _ := strings.Cut(test, " ")
			if i == 0 {
				b.WriteString(" Also:")
			} else {
				b.WriteString(",")
			}
			fmt.Fprintf(b, " `%s` in [%s](../%s)", name, folder, folder)
			if i == len(f.also)-1 {
				b.WriteString(".")
			}
		}
		b.WriteString("\n")
	}
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
	if len(texts) == 1 {
		return texts[0]
	}
	for i, text := range texts {
		texts[i] = strings.Join(titles[text], ", ") + ": " + text
	}
	return strings.Join(texts, "<br>")
}

// text returns the verdict, with the number of its note.
func (c cell) text(notes *[]string) string {
	text := map[verdict]string{vUnique: "unique", vUniqueIf: "unique if", vNotCovered: "**not covered**", vNoPart: "not used"}[c.verdict]
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
