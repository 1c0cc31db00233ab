package form_test

import (
	"testing"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/form"
)

const benchUID uid.UID = 180363646902239241

func benchmarkAppend(b *testing.B, appendTo func([]byte, uid.UID) ([]byte, error)) {
	b.ReportAllocs()
	buf := make([]byte, 0, 64)
	for b.Loop() {
		buf, _ = appendTo(buf[:0], benchUID)
	}
}

func benchmarkParse(b *testing.B, text string, parse func(string) (uid.UID, error)) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendBase32(b *testing.B) { benchmarkAppend(b, form.Base32.Append) }
func BenchmarkParseBase32(b *testing.B) {
	benchmarkParse(b, form.Base32.Text(benchUID), form.Base32.Parse)
}
func BenchmarkAppendBase58(b *testing.B) { benchmarkAppend(b, form.Base58.Append) }
func BenchmarkParseBase58(b *testing.B) {
	benchmarkParse(b, form.Base58.Text(benchUID), form.Base58.Parse)
}
func BenchmarkAppendBase58Flickr(b *testing.B) { benchmarkAppend(b, form.Base58Flickr.Append) }
func BenchmarkParseBase58Flickr(b *testing.B) {
	benchmarkParse(b, form.Base58Flickr.Text(benchUID), form.Base58Flickr.Parse)
}
func BenchmarkAppendBase62(b *testing.B) { benchmarkAppend(b, form.Base62.Append) }
func BenchmarkParseBase62(b *testing.B) {
	benchmarkParse(b, form.Base62.Text(benchUID), form.Base62.Parse)
}
func BenchmarkAppendBase62Inverted(b *testing.B) { benchmarkAppend(b, form.Base62Inverted.Append) }
func BenchmarkParseBase62Inverted(b *testing.B) {
	benchmarkParse(b, form.Base62Inverted.Text(benchUID), form.Base62Inverted.Parse)
}

func BenchmarkAppendID(b *testing.B) {
	benchmarkAppend(b, func(buf []byte, u uid.UID) ([]byte, error) { return OrderID(u).AppendText(buf) })
}

func BenchmarkParseID(b *testing.B) {
	benchmarkParse(b, OrderID(benchUID).String(), func(s string) (uid.UID, error) {
		id, err := form.ParseID[Order](s)
		return uid.UID(id), err
	})
}

func BenchmarkAppendUUID(b *testing.B) {
	benchmarkAppend(b, func(buf []byte, u uid.UID) ([]byte, error) {
		x, err := orders.UUID(u)
		if err != nil {
			return nil, err
		}
		return x.AppendText(buf)
	})
}

func BenchmarkParseUUID(b *testing.B) {
	x, err := orders.UUID(benchUID)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkParse(b, x.String(), func(s string) (uid.UID, error) {
		x, err := form.ParseUUID(s)
		if err != nil {
			return 0, err
		}
		return orders.UID(x)
	})
}
