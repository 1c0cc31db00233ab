package uid_test

import (
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/uidgen/uid"
)

const benchUID uid.UID = 180363646902239241

// BenchmarkForms is what the forms of a UID cost.
func BenchmarkForms(b *testing.B) {
	text := benchUID.String()
	row := struct {
		ID   uid.UID `json:"id"`
		Name string  `json:"name"`
	}{benchUID, "order"}
	var u uid.UID
	buf := make([]byte, 0, 32)
	for _, form := range []struct {
		name string
		make func() error
	}{
		{"Parse", func() (err error) { u, err = uid.Parse(text); return err }},
		{"String", func() error { text = benchUID.String(); return nil }},
		{"AppendText", func() (err error) { buf, err = benchUID.AppendText(buf[:0]); return err }},
		{"json.Marshal", func() (err error) { buf, err = json.Marshal(row); return err }},
		{"%v", func() error { return printed("%v") }},
		{"%d", func() error { return printed("%d") }},
		{"%016x", func() error { return printed("%016x") }},
	} {
		b.Run(form.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := form.make(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	if u != 0 && u != benchUID {
		b.Fatal(u)
	}
}

func printed(directive string) error {
	_, err := fmt.Fprintf(io.Discard, directive, benchUID)
	return err
}
