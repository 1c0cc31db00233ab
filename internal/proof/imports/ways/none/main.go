// The program without a generator, to compare the others with.
package main

import (
	"fmt"

	"github.com/uidgen/uid"
)

func main() { fmt.Println(uid.UID(42)) }
