// The program with a state file.
package main

import (
	"fmt"
	"log"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/statefile"
)

func main() {
	w, err := statefile.New("uid.state", worker.FixedID(1), statefile.Config{})
	if err != nil {
		log.Fatal(err)
	}
	g, err := cached.New(w, cached.Config{})
	if err != nil {
		log.Fatal(err)
	}
	u, err := g.GetUID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(u)
	if err := g.Close(); err != nil {
		log.Fatal(err)
	}
}
