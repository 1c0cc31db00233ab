package opaque_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/opaque"
)

// secret stands for a key from a file or from the environment.
func secret(text string) opaque.Secret {
	b, err := hex.DecodeString(text)
	if err != nil {
		log.Fatal("the key is not hexadecimal") // err has a part of it
	}
	return b
}

var (
	first  = opaque.Key{Number: 1, Secret: secret("9b1f0c4be7d2a85c6e33f1907ad4528f9b1f0c4be7d2a85c6e33f1907ad4528f")}
	second = opaque.Key{Number: 2, Secret: secret("4c6d1f0aa35be79288d0c15f63b9e724017f52c8de94ab3660f3b5d2918ae74c")}
)

func newSealer(keys []opaque.Key, current int, tweak string) *opaque.Sealer {
	s, err := opaque.New(opaque.Config{Keys: keys, Current: current, Tweak: tweak})
	if err != nil {
		log.Fatal(err)
	}
	return s
}

// UIDs that follow one another, as an API shows them.
func Example() {
	orders := newSealer([]opaque.Key{first}, 1, "orders")
	for u := uid.UID(180363646902239241); u < 180363646902239244; u++ {
		text, err := orders.Seal(u)
		if err != nil {
			log.Fatal(err)
		}
		back, err := orders.Open(text)
		fmt.Println(text, back, err)
	}
	fmt.Println(orders.Open("17e595010v5e6R"))
	// Output:
	// 17e595010v5e6r 180363646902239241 <nil>
	// 11cht1jq290j1q 180363646902239242 <nil>
	// 160rkdc71zfndk 180363646902239243 <nil>
	// 0 after the number of the key: syntax error: "7e595010v5e6R" is no base32 UID: "R" at position 13 is none of 0123456789abcdefghjkmnpqrstvwxyz
}

// An invoice of the same number as an order does not look like it.
func ExampleConfig_tweak() {
	for _, tweak := range []string{"orders", "invoices"} {
		fmt.Println(newSealer([]opaque.Key{first}, 1, tweak).Seal(180363646902239241))
	}
	// Output:
	// 17e595010v5e6r <nil>
	// 17qn06r6cwecx4 <nil>
}

// A new key in two steps: all processes learn to open its texts before one writes them.
func ExampleSealer_rotation() {
	old := newSealer([]opaque.Key{first}, 1, "orders")
	learned := newSealer([]opaque.Key{first, second}, 1, "orders")
	changed := newSealer([]opaque.Key{first, second}, 2, "orders")

	text, _ := old.Seal(42)
	fmt.Println(changed.Open(text))
	text, _ = changed.Seal(42)
	fmt.Println(learned.Open(text))

	_, err := old.Open(text)
	fmt.Println(errors.Is(err, opaque.ErrUnknownKey))
	// Output:
	// 42 <nil>
	// 42 <nil>
	// true
}

// For a BIGINT that others see. The number does not tell its key.
func ExampleSealer_SealNumber() {
	orders := newSealer([]opaque.Key{first}, 1, "orders")
	sealed, _ := orders.SealNumber(180363646902239241)
	back, _ := orders.OpenNumber(sealed)
	fmt.Println(sealed, back)
	// Output:
	// 8580805348056807640 180363646902239241
}

// Every number opens to some UID. Its time tells many that nobody has made.
func ExampleSealer_OpenNumber_forged() {
	orders := newSealer([]opaque.Key{first}, 1, "orders")
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for forged := uid.UID(1); forged < 4; forged++ {
		u, _ := orders.OpenNumber(forged)
		fmt.Println(u, bits.Default().Doubt(u, now))
	}
	// Output:
	// 9102867009397550542 its time, 2034-05-25T07:11:38Z, is 7 years in the future: it may be of another layout
	// 8804009041976652854 its time, 2034-02-13T15:06:26Z, is 7 years in the future: it may be of another layout
	// 5085589639467839969 its time, 2030-09-10T01:55:38Z, is 3 years in the future: it may be of another layout
}

// Nothing prints a key.
func ExampleSecret() {
	fmt.Printf("%v\n%+v\n%x\n", first, opaque.Config{Keys: []opaque.Key{first}, Current: 1}, first.Secret)
	fmt.Println(newSealer([]opaque.Key{first, second}, 2, "orders"))
	// Output:
	// {1 [32 secret bytes]}
	// {Keys:[{Number:1 Secret:[32 secret bytes]}] Current:1 Tweak:}
	// [32 secret bytes]
	// opaque.Sealer of "orders", keys 1, 2, current 2
}
