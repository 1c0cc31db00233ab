package form_test

import (
	"testing"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/form"
)

const benchUID uid.UID = 180363646902239241

func BenchmarkAppend(b *testing.B) {
	run := func(name string, appendTo func([]byte, uid.UID) ([]byte, error)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			buf := make([]byte, 0, 64)
			for b.Loop() {
				buf, _ = appendTo(buf[:0], benchUID)
			}
		})
	}
	for _, r := range encodings {
		run(r.name, r.Append)
	}
	run("ID", func(buf []byte, u uid.UID) ([]byte, error) { return OrderID(u).AppendText(buf) })
	run("UUID", func(buf []byte, u uid.UID) ([]byte, error) { return must(orders.UUID(u)).AppendText(buf) })
}

func BenchmarkParse(b *testing.B) {
	run := func(name, text string, parse func(string) (uid.UID, error)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must(parse(text))
			}
		})
	}
	for _, r := range encodings {
		run(r.name, r.Text(benchUID), r.Parse)
	}
	run("ID", OrderID(benchUID).String(), func(s string) (uid.UID, error) {
		return uid.UID(must(form.ParseID[Order](s))), nil
	})
	run("UUID", must(orders.UUID(benchUID)).String(), func(s string) (uid.UID, error) {
		return orders.UID(must(form.ParseUUID(s)))
	})
}
