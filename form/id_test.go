package form_test

import (
	"cmp"
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"errors"
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
	prefix = longest
	rapid.Check(t, func(t *rapid.T) {
		u := uids().Draw(t, "u")
		checkRoundTrip[Order](t, u)
		checkRoundTrip[Line](t, u)
		checkRoundTrip[anything](t, u)

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
	"order_-5067s0001009", "order_05067s000100u", strings.Repeat("order_", 1<<10),
}

func TestParseIDErrors(t *testing.T) {
	require.EqualError(t, errorOf(form.ParseID[Order]("user_05067s0001009")),
		`syntax error: "user_05067s0001009" does not begin with order_`)
	require.EqualError(t, errorOf(form.ParseID[Line]("order_05067s0001009")),
		`syntax error: "order_05067s0001009" does not begin with order_line_2_`)
	require.EqualError(t, errorOf(form.ParseID[Order]("order_05067S0001009")),
		`syntax error: "05067S0001009" is no base32 UID: "S" at position 6 is none of 0123456789abcdefghjkmnpqrstvwxyz`)
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

// longest is a prefix of 63 characters.
var longest = "_a0" + strings.Repeat("z9", 30)

// anything has the prefix that a test sets.
type anything struct{}

var prefix string

func (anything) Prefix() string { return prefix }

// A prefix that is not allowed is an error wherever there can be one, and makes String write what
// nobody reads.
func TestPrefixes(t *testing.T) {
	endless := strings.Repeat("z", 1<<20)
	for _, c := range []struct{ prefix, want string }{
		{"", `"" has 0 bytes, not 1 to 63`},
		{endless[:64], `"` + endless[:64] + `" has 64 bytes, not 1 to 63`},
		{endless, `"` + endless[:70] + `" has 1048576 bytes, not 1 to 63`},
		{"Order", `"Order" has "O" at position 1: a-z, 0-9 and _ can be used`},
		{"or-der", `"or-der" has "-" at position 3: a-z, 0-9 and _ can be used`},
		{"order_", `"order_" ends with an underscore`},
		{"ordér", `"ordér" has "\xc3" at position 4: a-z, 0-9 and _ can be used`},
		{`"`, `"\"" has "\"" at position 1: a-z, 0-9 and _ can be used`},
	} {
		prefix = c.prefix
		const u uid.UID = 180363646902239241
		id := form.ID[anything](u)
		require.Equal(t, fmt.Sprintf("%.70q_05067s0001009", prefix), id.String())
		b, err := id.AppendText([]byte("x"))
		require.Equal(t, "x", string(b))
		text, marshalErr := id.MarshalText()
		require.Nil(t, text)
		errs := []error{err, marshalErr, errors.Unwrap(errorOf(json.Marshal(id)))}
		for _, s := range []string{prefix + "_05067s0001009", id.String()} {
			errs = append(errs, errorOf(form.ParseID[anything](s)), id.UnmarshalText([]byte(s)), id.Scan(s))
		}
		for _, err := range errs {
			require.ErrorIs(t, err, uid.ErrConfig)
			require.EqualError(t, err, "unusable configuration: the prefix "+c.want)
		}
		require.Equal(t, u, uid.UID(id))
		require.Equal(t, driver.Value(int64(u)), must(id.Value()), "a number has no prefix")
	}
}
