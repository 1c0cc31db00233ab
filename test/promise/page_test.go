package promise

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// What the page says before its tables, and after them.
var (
	//go:embed head.txt
	promiseHead string
	//go:embed foot.txt
	promiseFoot string
)

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
		if !slices.ContainsFunc(rows[i], func(text string) bool { return text != noPartText && text != "unique" }) &&
			slices.Contains(rows[i], noPartText) {
			continue // it is about others
		}
		shown = append(shown, i)
		fmt.Fprintf(b, " %s |", col.title)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(shown)) + "\n")
	var everywhere []string // of faults that do no harm
	for n, f := range c.faults {
		harm := func(i int) bool { return rows[i][n] != "unique" && rows[i][n] != noPartText }
		if !slices.ContainsFunc(shown, harm) {
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
	if len(texts) == 1 {
		return texts[0]
	}
	others := slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == noPartText })
	for i, text := range others {
		if i > 0 || len(others) < len(texts) { // else it is that of all which are not named
			others[i] = strings.Join(titles[text], ", ") + ": " + text
		}
	}
	return strings.Join(others, "<br>")
}

// noPartText is what the page says of vNoPart.
const noPartText = "–"

// text returns the verdict, with the number of its note.
func (c cell) text(notes *[]string) string {
	text := [...]string{vUnique: "unique", vUniqueIf: "if", vNotCovered: "**no**", vNoPart: noPartText}[c.verdict]
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
