package debug

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/form"
	"github.com/uidgen/uid/internal/registry"
)

func decode(t testing.TB, h *handler, text string) []parts {
	t.Helper()
	return get[decoded](t, h, "/decode?uid="+url.QueryEscape(text)).Readings
}

func TestDecode(t *testing.T) {
	layout := bits.MustLayout(bits.Config{
		TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond,
		Epoch:  bits.MustParseLayout("twitter").Epoch(),
		Fields: []uid.Field{{Name: "datacenter", Bits: 5}, {Name: "worker", Bits: 5}},
	})
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	h := newPage(t, Config{Layout: layout, Now: func() time.Time { return now }})
	const text = "1541815603606036480"
	for _, s := range []string{text, " " + text + "\n", form.Base32.Text(1541815603606036480)} {
		all := decode(t, h, s)
		require.Len(t, all, 1)
		p := all[0]
		require.Equal(t, text, p.Decimal)
		require.Equal(t, form.Base32.Text(1541815603606036480), p.Base32)
		require.Equal(t, layout.String(), p.Layout)
		require.Equal(t, "2022-06-28T16:07:40.105Z", p.Time.Text)
		require.Equal(t, "1ms", p.Unit)
		require.Equal(t, "378", p.WorkerID)
		require.Equal(t, "0", p.Sequence)
		require.Empty(t, p.Doubt+p.Problem)
		require.False(t, p.Listed)
		names, bits := []string{}, ""
		for _, f := range p.Fields {
			names, bits = append(names, f.Name+"="+f.Value), bits+f.Bits
		}
		require.Equal(t, []string{"always 0=0", "time=367597485448", "datacenter=11", "worker=26", "sequence=0"}, names)
		require.Len(t, bits, 64)
	}
	require.Equal(t, "decimal", decode(t, h, text)[0].Form)
	require.Contains(t, decode(t, h, uid.Max.String())[0].Doubt, "in the future")
}

// 13 digits are a number in either form: both are shown.
func TestDecodeBothForms(t *testing.T) {
	all := decode(t, newPage(t, Config{Layout: bits.Default()}), "1234567890123")
	require.Len(t, all, 2)
	require.Equal(t, "1234567890123", all[0].Decimal)
	require.Equal(t, "1234567890123", all[1].Base32)
	require.Equal(t, []string{"decimal", "base32"}, []string{all[0].Form, all[1].Form})
}

// Each layout in use has its reading, once; one that cannot hold the UID says so.
func TestDecodeLayouts(t *testing.T) {
	a, b := newCached(t, 7), newCached(t, 9)
	h := newPage(t, Config{Generators: []Generator{{Name: "a", Generator: a}, {Name: "b", Generator: b}}})
	u := must(a.GetUID())
	all := decode(t, h, u.String())
	require.Len(t, all, 1)
	require.Equal(t, []string{"a", "b"}, all[0].Generators)
	require.Equal(t, []string{"a"}, all[0].Own)
	require.NoError(t, a.Close())
	h.sampled = time.Time{}
	require.Empty(t, decode(t, h, u.String())[0].Own, "nobody has the worker ID now")

	narrow := newPage(t, Config{Layout: bits.JavaScriptSafe()})
	p := decode(t, narrow, uid.Max.String())[0]
	require.Equal(t, "the layout has only 52 bits: this UID is not of it", p.Problem)
	require.Empty(t, p.Fields)

	none := newPage(t, Config{Workers: func(context.Context) (o registry.Overview, err error) { return o, nil }})
	require.Equal(t, http.StatusNotFound, ask(none, "GET", "/decode?uid=7").Code)
}

// Who holds the worker, and whether that was so at the time of the UID.
func TestDecodeHolders(t *testing.T) {
	layout := bits.Default()
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	o := overview(began, lease{"orders", 7, "web-1/4711"}, lease{"bills", 7, "web-2/9"}, lease{"orders", 8, "web-3/1"})
	for i := range o.Leases {
		o.Leases[i].Acquired = began
	}
	h := newPage(t, Config{Layout: layout, Workers: always(o)})
	await(t, h, "up")
	u := must(layout.Compose(layout.TickAt(began.Add(time.Minute)), 7, 5))
	p := decode(t, h, u.String())[0]
	require.True(t, p.Listed)
	require.Len(t, p.Leases, 2)
	require.Equal(t, "web-1/4711", p.Leases[0].Holder)
	require.Equal(t, "bills", p.Leases[1].Namespace)
	require.True(t, p.Leases[0].Since)

	u = must(layout.Compose(layout.TickAt(began.Add(-time.Minute)), 7, 5))
	require.False(t, decode(t, h, u.String())[0].Leases[0].Since, "somebody before made it")

	// With a namespace, only its lease.
	generators := []Generator{{Name: "a", Generator: newCached(t, 7), Namespace: "bills"}}
	h = newPage(t, Config{Generators: generators, Workers: always(o)})
	await(t, h, "up")
	require.Len(t, decode(t, h, u.String())[0].Leases, 1)
}

func TestDecodeRefuses(t *testing.T) {
	h := newPage(t, Config{Layout: bits.Default()})
	for text, want := range map[string]string{
		"":                     "there is no UID to take apart",
		"007":                  "a decimal UID does not begin with 0",
		"9223372036854775808":  "this number is above 9223372036854775807, the largest UID",
		"99999999999999999999": "this number is above 9223372036854775807, the largest UID",
		"-7":                   "this has 2 bytes and not only digits",
		"05067s000100u":        "character 13 is not one of base32",
		"zzzzzzzzzzzzz":        "this base32 number is above 7zzzzzzzzzzzz, the largest UID",
		"<b>markup</b>":        "character 1 is not one of base32",
		"<script>x</script>":   "this has 18 bytes and not only digits",
	} {
		w := ask(h, "GET", "/decode?uid="+url.QueryEscape(text))
		require.Equal(t, http.StatusBadRequest, w.Code, text)
		var p problem
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
		require.Contains(t, p.Error, want)
		if text != "" && !strings.ContainsAny(text, "0123456789") {
			require.NotContains(t, p.Error, text)
		}
	}
}

// Whatever is asked, the answer is JSON without markup, and what is taken apart is what was asked.
func FuzzDecode(f *testing.F) {
	seeds := []string{"", "0", "7", "180363646902239241", "05067s0001009", "1234567890123", "9223372036854775808"}
	for _, s := range append(seeds, "<b>", "\xff", " 1", "0x7", "-1") {
		f.Add(s)
	}
	h := newPage(f, Config{Layout: bits.Default()})
	f.Fuzz(func(t *testing.T, s string) {
		w := ask(h, "GET", "/decode?uid="+url.QueryEscape(s))
		require.NotContains(t, w.Body.String(), "<")
		require.Less(t, w.Body.Len(), 8<<10)
		if w.Code != http.StatusOK {
			require.Equal(t, http.StatusBadRequest, w.Code)
			var p problem
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
			require.NotEmpty(t, p.Error)
			return
		}
		var d decoded
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &d))
		require.NotEmpty(t, d.Readings)
		for _, p := range d.Readings {
			require.Equal(t, strings.TrimSpace(s), map[string]string{"decimal": p.Decimal, "base32": p.Base32}[p.Form])
			n := ""
			for _, f := range p.Fields {
				n += f.Bits
			}
			u := must(uid.Parse(p.Decimal))
			var back uint64
			for _, bit := range n {
				back = back<<1 | uint64(bit-'0')
			}
			require.Equal(t, uint64(u), back)
		}
	})
}
