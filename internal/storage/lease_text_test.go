package storage_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker/lease"
)

var (
	at  = time.Date(2026, 7, 1, 12, 0, 0, 123_456_000, time.UTC)
	row = storage.Lease{
		WorkerID: 7, Nonce: "ABC", High: 1<<53 + 1, Until: at, Layout: "sign=1 <time>=28",
		Holder: `a"b` + "\U0001F984", Acquired: at.Add(-time.Hour), Renewed: at.Add(-time.Minute),
	}
	namespace = storage.Namespace{
		Layout: "x", IDs: lease.Range{First: 3, Last: 9}, Given: 5, Floor: -1,
		History: "server 1 since noon", Made: time.Unix(0, 0).UTC(), Renewed: at,
	}
)

// Stored texts are read by later versions: they must not change. Package test/stored has those of each version, and
// storetest tries what is read back.
func TestText(t *testing.T) {
	s, err := storage.LeaseText(row, "W1")
	require.NoError(t, err)
	require.Equal(t, `{"v":2,"write":"W1","nonce":"ABC","high":9007199254740993,"until":1782907200123456,`+
		`"layout":"sign=1 \u003ctime\u003e=28","holder":"a\"b`+"\U0001F984"+`",`+
		`"acquired":1782903600123456,"renewed":1782907140123456}`, s)
}

// Nothing is guessed, and nothing of a text is repeated.
func TestParseRefuses(t *testing.T) {
	good, err := storage.LeaseText(row, "W1")
	require.NoError(t, err)
	for name, s := range map[string]string{
		"nothing":            "",
		"no JSON":            "hunter2",
		"no object":          `"hunter2"`,
		"null":               "null",
		"a newer version":    strings.Replace(good, `"v":2`, `"v":3,"hunter2":5`, 1),
		"an older version":   strings.Replace(good, `"v":2`, `"v":1`, 1),
		"no version":         strings.Replace(good, `"v":2,`, ``, 1),
		"a field is missing": strings.Replace(good, `"high":9007199254740993,`, ``, 1),
		"an unknown field":   strings.Replace(good, `"high"`, `"hunter2":1,"high"`, 1),
		"a field twice":      strings.Replace(good, `"high"`, `"high":1,"high"`, 1),
		"another case":       strings.Replace(good, `"high"`, `"High"`, 1),
		"null for a number":  strings.Replace(good, `9007199254740993`, `null`, 1),
		"a fraction":         strings.Replace(good, `9007199254740993`, `1.5`, 1),
		"a text":             strings.Replace(good, `9007199254740993`, `"hunter2"`, 1),
		"too large":          strings.Replace(good, `9007199254740993`, `9223372036854775808`, 1),
		"not UTF-8":          strings.Replace(good, `"ABC"`, "\"\xff\"", 1),
		"half":               good[:len(good)/2],
		"more after it":      good + good,
		"a space":            good + " ",
		"a namespace": `{"v":3,"layout":"x","first":3,"last":9,"given":5,"floor":-1,` +
			`"history":"","made":0,"renewed":1}`,
	} {
		_, err := storage.ParseLease(7, s)
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), "hunter2", name)
		require.Equal(t, name == "a newer version" || name == "a namespace",
			strings.Contains(err.Error(), "newer version"), name)
	}
	_, err = storage.ParseNamespace(good)
	require.Error(t, err)
}

// Numbers that no worker has are neither written nor read.
func TestFaults(t *testing.T) {
	const before, after = "-1", "253402300800000000"
	goodRow, err := storage.LeaseText(row, "")
	require.NoError(t, err)
	goodNamespace, err := storage.NamespaceText(namespace, "")
	require.NoError(t, err)
	for _, c := range []struct{ field, is, says string }{
		{`"high":9007199254740993`, `"high":-2`, "high is -2"},
		{`"until":1782907200123456`, `"until":` + before, "until is -1 µs"},
		{`"until":1782907200123456`, `"until":` + after, "until is 253402300800000000 µs"},
		{`"acquired":1782903600123456`, `"acquired":` + before, "acquired is -1 µs"},
		{`"acquired":1782903600123456`, `"acquired":` + after, "acquired is 253402300800000000 µs"},
		{`"renewed":1782907140123456`, `"renewed":` + before, "renewed is -1 µs"},
		{`"renewed":1782907140123456`, `"renewed":` + after, "renewed is 253402300800000000 µs"},
		{`"given":5`, `"given":-2`, "given is -2"},
		{`"floor":-1`, `"floor":-2`, "floor is -2"},
		{`"first":3`, `"first":-1`, "first is -1 and last 9"},
		{`"first":3`, `"first":10`, "first is 10 and last 9"},
		{`"made":0`, `"made":` + before, "made is -1 µs"},
		{`"made":0`, `"made":` + after, "made is 253402300800000000 µs"},
		{`"renewed":1782907200123456`, `"renewed":` + before, "renewed is -1 µs"},
		{`"renewed":1782907200123456`, `"renewed":` + after, "renewed is 253402300800000000 µs"},
	} {
		require.Equal(t, 1, strings.Count(goodRow+goodNamespace, c.field))
		_, err := storage.ParseLease(7, strings.Replace(goodRow, c.field, c.is, 1))
		if strings.Contains(goodNamespace, c.field) {
			_, err = storage.ParseNamespace(strings.Replace(goodNamespace, c.field, c.is, 1))
		}
		require.ErrorContains(t, err, c.says)
	}
}

// What could not be read back is not written.
func TestUnwritable(t *testing.T) {
	before, tooLate, bad := time.Unix(0, -1).UTC(), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), "\xff"
	for _, c := range []struct {
		kind           error
		row, namespace string // what their errors say
		spoil          func(*storage.Lease, *storage.Namespace)
	}{
		{uid.ErrRange, "-2", "-2", func(r *storage.Lease, n *storage.Namespace) { r.High, n.Floor = -2, -2 }},
		{uid.ErrRange, "1969", "1969",
			func(r *storage.Lease, n *storage.Namespace) { r.Until, n.Made = before, before }},
		{uid.ErrRange, "10000-", "10000-",
			func(r *storage.Lease, n *storage.Namespace) { r.Renewed, n.Made = tooLate, tooLate }},
		{uid.ErrConfig, "nonce is not valid UTF-8", "layout is not valid UTF-8",
			func(r *storage.Lease, n *storage.Namespace) { r.Nonce, n.Layout = bad, bad }},
		{uid.ErrConfig, "layout is not valid UTF-8", "history is not valid UTF-8",
			func(r *storage.Lease, n *storage.Namespace) { r.Layout, n.History = bad, bad }},
		{uid.ErrConfig, "holder is not valid UTF-8", "layout is not valid UTF-8",
			func(r *storage.Lease, n *storage.Namespace) { r.Holder, n.Layout = bad, bad }},
		{uid.ErrRange, "-2", "first is 4 and last 3",
			func(r *storage.Lease, n *storage.Namespace) { r.High, n.IDs = -2, lease.Range{First: 4, Last: 3} }},
	} {
		r, n := row, namespace
		c.spoil(&r, &n)
		_, err := storage.LeaseText(r, "")
		logtest.Error(t, err, c.kind, c.row)
		_, err = storage.NamespaceText(n, "")
		logtest.Error(t, err, c.kind, c.namespace)
	}
}
