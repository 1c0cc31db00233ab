// The program without a generator, which the others are compared with.
package main

import (
	"fmt"

	"github.com/uidgen/uid"
)

func main() { fmt.Println(uid.UID(42)) }
