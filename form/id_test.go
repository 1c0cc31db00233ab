package form_test

import (
	"cmp"
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/form"
)

type Order struct{}

func (Order) Prefix() string { return "order" }

type OrderID = form.ID[Order]

type Line struct{}

func (Line) Prefix() string { return "order_line_2" }

type LineID = form.ID[Line]

var (
	_ fmt.Stringer             = OrderID(0)
	_ encoding.TextMarshaler   = OrderID(0)
	_ encoding.TextAppender    = OrderID(0)
	_ encoding.TextUnmarshaler = (*OrderID)(nil)
	_ sql.Scanner              = (*OrderID)(nil)
	_ driver.Valuer            = OrderID(0)
)

func TestIDRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := uids().Draw(t, "u")
		checkRoundTrip[Order](t, u)
		checkRoundTrip[Line](t, u)
		checkRoundTrip[longest](t, u)

		v := uids().Draw(t, "v")
		require.Equal(t, cmp.Compare(u, v), cmp.Compare(OrderID(u), OrderID(v)))
		require.Equal(t, cmp.Compare(u, v), strings.Compare(OrderID(u).String(), OrderID(v).String()))
	})
}

func checkRoundTrip[P form.Prefixed](t *rapid.T, u uid.UID) {
	var kind P
	id := form.ID[P](u)
	require.Equal(t, u, uid.UID(id))
	require.Equal(t, kind.Prefix()+"_"+form.Base32.Text(u), id.String())
	got := must(form.ParseID[P](id.String()))
	require.Equal(t, id, got)

	text := must(id.MarshalText())
	require.Equal(t, id.String(), string(text))
	require.Equal(t, "x"+id.String(), string(must(id.AppendText([]byte("x")))))
	got = 0
	require.NoError(t, got.UnmarshalText([]byte(id.String())))
	require.Equal(t, id, got)

	type row struct {
		ID   form.ID[P]           `json:"id"`
		Zero form.ID[P]           `json:"zero,omitzero"`
		None *form.ID[P]          `json:"none"`
		Keys map[form.ID[P]]int64 `json:"keys"`
	}
	in := row{ID: id, Keys: map[form.ID[P]]int64{id: 1}}
	text = must(json.Marshal(in))
	require.Equal(t, `{"id":"`+id.String()+`","none":null,"keys":{"`+id.String()+`":1}}`, string(text))
	var out row
	require.NoError(t, json.Unmarshal(text, &out))
	require.Equal(t, in, out)

	require.Equal(t, driver.Value(int64(u)), must(id.Value()))
	for _, src := range []any{int64(u), uint64(u), u.String(), []byte(u.String()), id.String(), []byte(id.String())} {
		got = 42
		require.NoError(t, got.Scan(src))
		require.Equal(t, id, got)
	}
}

// notOrders are texts of no order.
var notOrders = []string{
	"", "order", "order_", "_", "_05067s0001009", "05067s0001009", "180363646902239241", "order05067s0001009",
	"order-05067s0001009", "order__05067s0001009", "user_05067s0001009", "Order_05067s0001009", "ORDER_05067S0001009",
	"order_05067S0001009", "orders_05067s0001009", "orde_05067s0001009", "order_line_2_05067s0001009",
	" order_05067s0001009", "order_05067s0001009 ", "order_5067s0001009", "order_180363646902239241",
	"order_-5067s0001009", "order_05067s000100u",
}

func TestParseIDRefuses(t *testing.T) {
	refuse := func(text string, want error) {
		id, err := form.ParseID[Order](text)
		require.ErrorIs(t, err, want, "%q", text)
		require.Zero(t, id)
		require.Less(t, len(err.Error()), 300)
		id = 42
		require.ErrorIs(t, id.UnmarshalText([]byte(text)), want)
		require.ErrorIs(t, json.Unmarshal(must(json.Marshal(text)), &id), want)
		require.EqualValues(t, 42, id)
	}
	for _, text := range append(notOrders, strings.Repeat("order_", 1<<10)) {
		refuse(text, uid.ErrSyntax)
	}
	refuse("order_8000000000000", uid.ErrRange)

	_, err := form.ParseID[Order]("user_05067s0001009")
	require.EqualError(t, err, `syntax error: "user_05067s0001009" does not begin with order_`)
	_, err = form.ParseID[Line]("order_05067s0001009")
	require.EqualError(t, err, `syntax error: "order_05067s0001009" does not begin with order_line_2_`)
	require.EqualError(t, errorOf(form.ParseID[Order]("order_05067S0001009")),
		`syntax error: "05067S0001009" is no base32 UID: "S" at position 6 is none of 0123456789abcdefghjkmnpqrstvwxyz`)
}

func TestIDUnmarshalJSONRefuses(t *testing.T) {
	id := OrderID(42)
	require.NoError(t, json.Unmarshal([]byte(`null`), &id))
	for _, text := range []string{`"7"`, `"null"`, `"user_05067s0001009"`} {
		require.ErrorIs(t, json.Unmarshal([]byte(text), &id), uid.ErrSyntax, "%s", text)
	}
	for _, text := range []string{``, `"`, `7`, `true`, `{}`, `[]`, `order_05067s0001009`, `'order_05067s0001009"`,
		`Null`} {
		require.Error(t, json.Unmarshal([]byte(text), &id), "%s", text)
	}
	require.EqualValues(t, 42, id)
}

func TestIDScanRefuses(t *testing.T) {
	for want, sources := range map[error][]any{
		uid.ErrSyntax: {nil, []byte(nil), []byte{}, "", 1.5, time.Time{}, "-1", "1_000", "05067s0001009",
			"user_05067s0001009", []byte("user_05067s0001009")},
		uid.ErrRange: {int64(-1), uint64(math.MaxInt64) + 1, "9223372036854775808", "order_8000000000000"},
	} {
		for _, src := range sources {
			id := OrderID(42)
			require.ErrorIs(t, id.Scan(src), want, "%#v", src)
			require.EqualValues(t, 42, id, "%#v", src)
		}
	}
	var id OrderID
	require.ErrorContains(t, id.Scan(nil), "scan it into a sql.Null[form.ID[")
	require.ErrorContains(t, id.Scan([]byte(nil)), "scan it into a sql.Null[form.ID[")
	n := sql.Null[OrderID]{V: 42, Valid: true}
	require.NoError(t, n.Scan(nil))
	require.False(t, n.Valid)
	require.NoError(t, n.Scan("order_0000000000007"))
	require.Equal(t, sql.Null[OrderID]{V: 7, Valid: true}, n)
}

func TestNegativeID(t *testing.T) {
	for _, id := range []OrderID{-1, math.MinInt64} {
		require.ErrorIs(t, errorOf(id.MarshalText()), uid.ErrRange)
		b, err := id.AppendText([]byte("x"))
		require.ErrorIs(t, err, uid.ErrRange)
		require.Equal(t, "x", string(b))
		b, err = json.Marshal(id)
		require.ErrorIs(t, err, uid.ErrRange)
		require.Nil(t, b)
		require.ErrorIs(t, errorOf(id.Value()), uid.ErrRange)
		require.ErrorIs(t, errorOf(form.ParseID[Order](id.String())), uid.ErrSyntax)
	}
	require.Equal(t, "order_-0000000000001", OrderID(-1).String())
}

type longest struct{}

func (longest) Prefix() string { return "_" + strings.Repeat("z9", 31) }

type (
	empty    struct{}
	tooLong  struct{}
	capital  struct{}
	hyphen   struct{}
	trailing struct{}
	letter   struct{}
	quotes   struct{}
	endless  struct{}
)

func (empty) Prefix() string    { return "" }
func (tooLong) Prefix() string  { return strings.Repeat("z", 64) }
func (capital) Prefix() string  { return "Order" }
func (hyphen) Prefix() string   { return "or-der" }
func (trailing) Prefix() string { return "order_" }
func (letter) Prefix() string   { return "ordér" }
func (quotes) Prefix() string   { return `"` }
func (endless) Prefix() string  { return strings.Repeat("z", 1<<20) }

// A prefix that is not allowed is an error wherever there can be one, and makes String write what
// nobody reads.
func TestPrefixes(t *testing.T) {
	require.Len(t, longest{}.Prefix(), 63)
	refusePrefix[empty](t, `the prefix "" has 0 bytes, not 1 to 63`, `""_05067s0001009`)
	refusePrefix[tooLong](t, `the prefix "`+strings.Repeat("z", 64)+`" has 64 bytes, not 1 to 63`,
		`"`+strings.Repeat("z", 64)+`"_05067s0001009`)
	refusePrefix[capital](t, `the prefix "Order" has "O" at position 1: a-z, 0-9 and _ can be used`,
		`"Order"_05067s0001009`)
	refusePrefix[hyphen](t, `the prefix "or-der" has "-" at position 3: a-z, 0-9 and _ can be used`,
		`"or-der"_05067s0001009`)
	refusePrefix[trailing](t, `the prefix "order_" ends with an underscore`, `"order_"_05067s0001009`)
	refusePrefix[letter](t, `the prefix "ordér" has "\xc3" at position 4: a-z, 0-9 and _ can be used`,
		`"ordér"_05067s0001009`)
	refusePrefix[quotes](t, `the prefix "\"" has "\"" at position 1: a-z, 0-9 and _ can be used`, `"\""_05067s0001009`)
	refusePrefix[endless](t, `the prefix "`+strings.Repeat("z", 70)+`" has 1048576 bytes, not 1 to 63`,
		`"`+strings.Repeat("z", 70)+`"_05067s0001009`)
}

func refusePrefix[P form.Prefixed](t *testing.T, want, text string) {
	const u uid.UID = 180363646902239241
	id := form.ID[P](u)
	check := func(err error) {
		t.Helper()
		require.ErrorIs(t, err, uid.ErrConfig)
		require.EqualError(t, err, "unusable configuration: "+want)
	}
	var kind P
	for _, s := range []string{kind.Prefix() + "_05067s0001009", id.String()} {
		_, err := form.ParseID[P](s)
		check(err)
		check(id.UnmarshalText([]byte(s)))
		check(id.Scan(s))
	}
	b, err := id.MarshalText()
	check(err)
	require.Nil(t, b)
	b, err = id.AppendText([]byte("x"))
	check(err)
	require.Equal(t, "x", string(b))
	_, err = json.Marshal(id)
	require.ErrorIs(t, err, uid.ErrConfig)
	require.ErrorContains(t, err, want)
	require.Equal(t, text, id.String())
	require.Equal(t, u, uid.UID(id))

	v, err := id.Value()
	require.NoError(t, err, "a number has no prefix")
	require.Equal(t, driver.Value(int64(u)), v)
}
