// The smallest program with a generator.
package main

import (
	"fmt"
	"log"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker"
)

func main() {
	g, err := cached.New(worker.Static(1), cached.Config{})
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
