package form_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/form"
)

func ExampleBase32() {
	fmt.Println(form.Base32.Text(180363646902239241))
	fmt.Println(form.Base32.Text(7))
	fmt.Println(form.Base32.Text(uid.Max))
	// Output:
	// 05067s0001009
	// 0000000000007
	// 7zzzzzzzzzzzz
}

// There is one text for each UID: a text in capitals is refused.
func ExampleEncoding_Parse() {
	u, err := form.Base32.Parse("05067s0001009")
	fmt.Println(u, err)

	_, err = form.Base32.Parse("05067S0001009")
	fmt.Println(errors.Is(err, uid.ErrSyntax), err)
	// Output:
	// 180363646902239241 <nil>
	// true syntax error: "05067S0001009" is no base32 UID: "S" at position 6 is none of 0123456789abcdefghjkmnpqrstvwxyz
}

// A text in base58 does not tell in whose order its digits are: bwmarrin/snowflake wrote this one,
// in Flickr's.
func Example_base58Flickr() {
	fmt.Println(form.Base58Flickr.Parse("4jgmnx8Js8A"))
	fmt.Println(form.Base58.Parse("4jgmnx8Js8A"))
	// Output:
	// 1428076403798048768 <nil>
	// 1609467648527167071 <nil>
}

// Some writers of base62 put zeros in front, to 11 characters.
func Example_base62() {
	fmt.Println(form.Base62.Parse("DK4B9CNRWr"))
	_, err := form.Base62.Parse("0DK4B9CNRWr")
	fmt.Println(err)
	// Output:
	// 180363646902239241 <nil>
	// syntax error: "0DK4B9CNRWr" is no base62 UID: it begins with "0", the digit of zero
}

// For a column of type uuid.
func ExampleNamespace_UUID() {
	orders := form.Namespace("orders")
	x, err := orders.UUID(180363646902239241)
	fmt.Println(x, err)
	fmt.Println(orders.UID(x))

	_, err = form.Namespace("users").UID(x)
	fmt.Println(err)
	// Output:
	// 05018f90-0001-8001-88e0-b456d8069047 <nil>
	// 180363646902239241 <nil>
	// syntax error: the UUID 05018f90-0001-8001-88e0-b456d8069047 is not of the namespace "users": its last 59 bits are 0e0b456d8069047, not 3efda67b3ba1658
}

type Customer struct{}

func (Customer) Prefix() string { return "customer" }

type CustomerID = form.ID[Customer]

// An ID is a UID of one kind: with a prefix in an API, a BIGINT in the database.
//
//	type Customer struct{}
//
//	func (Customer) Prefix() string { return "customer" }
//
//	type CustomerID = form.ID[Customer]
func ExampleID() {
	type invoice struct {
		Customer CustomerID `json:"customer"`
	}
	text, err := json.Marshal(invoice{Customer: 180363646902239241})
	fmt.Println(string(text), err)

	var in invoice
	err = json.Unmarshal([]byte(`{"customer": "customer_05067s0001009"}`), &in)
	fmt.Println(in.Customer, uid.UID(in.Customer), err)

	err = json.Unmarshal([]byte(`{"customer": "order_05067s0001009"}`), &in)
	fmt.Println(err)

	column, err := in.Customer.Value()
	fmt.Println(column, err)
	// Output:
	// {"customer":"customer_05067s0001009"} <nil>
	// customer_05067s0001009 180363646902239241 <nil>
	// syntax error: "order_05067s0001009" does not begin with customer_
	// 180363646902239241 <nil>
}
