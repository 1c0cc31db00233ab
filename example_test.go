package uid_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/uidgen/uid"
)

func ExampleParse() {
	u, err := uid.Parse("180363646902239241")
	fmt.Println(u, err)

	_, err = uid.Parse("-1")
	fmt.Println(errors.Is(err, uid.ErrSyntax), err)

	_, err = uid.Parse("9223372036854775808")
	fmt.Println(errors.Is(err, uid.ErrRange), err)
	// Output:
	// 180363646902239241 <nil>
	// true syntax error: "-1" is not a decimal UID
	// true value out of range: "9223372036854775808" is above 9223372036854775807
}

// In JSON a UID is a string, since JavaScript would lose bits of the number; a
// number is read as well.
func ExampleUID_UnmarshalJSON() {
	type order struct {
		ID uid.UID `json:"id"`
	}
	text, _ := json.Marshal(order{ID: 180363646902239241})
	fmt.Println(string(text))

	var o order
	err := json.Unmarshal([]byte(`{"id": 180363646902239241}`), &o)
	fmt.Println(o.ID, err)
	// Output:
	// {"id":"180363646902239241"}
	// 180363646902239241 <nil>
}

// A BIGINT column is scanned into a UID as it stands; one that may be NULL, into a
// sql.Null[uid.UID].
func ExampleUID_Scan() {
	var u uid.UID
	fmt.Println(u.Scan(int64(180363646902239241)), u)
	fmt.Println(u.Scan(nil))
	// Output:
	// <nil> 180363646902239241
	// syntax error: NULL is not a UID; scan it into a sql.Null[uid.UID]
}

// A Number is a number in JSON, for layouts of at most 53 bits.
func ExampleNumber() {
	type order struct {
		ID uid.Number `json:"id"`
	}
	text, err := json.Marshal(order{ID: 21501022212111})
	fmt.Println(string(text), err)

	var o order
	err = json.Unmarshal([]byte(`{"id": 180363646902239241}`), &o)
	fmt.Println(errors.Is(err, uid.ErrRange), err)
	// Output:
	// {"id":21501022212111} <nil>
	// true value out of range: "180363646902239241" is above 9007199254740991, the largest UID to be a JSON number
}

func ExampleUID_Format() {
	const u uid.UID = 180363646902239241
	fmt.Printf("%v %x %#v\n", u, u, u)
	fmt.Printf("%08d\n", uid.UID(7))
	// Output:
	// 180363646902239241 280c7c800008009 uid.UID(180363646902239241)
	// 00000007
}
