package main

import (
	"os"
	"strings"
)

// What is in a UID, for a person.
func Example_parse() {
	run([]string{"parse", "--layout", "uidgenerator", "180363646902239241"}, os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	// Output:
	// 180363646902239241
	//   time      2016-07-19T10:07:53Z (tick 5249273)
	//   worker    4
	//   sequence  9
	//   layout    28/22/13 unit=1s epoch=2016-05-19T16:00:00Z
	//
	//      time                         worker                 sequence
	//   +-+----------------------------+----------------------+-------------+
	//   |0|0000010100000001100011111001|0000000000000000000100|0000000001001|
	//   +-+----------------------------+----------------------+-------------+
	//    1 28 bits                      22 bits                13 bits
}

// The same for a program, from standard input.
func Example_parseJSON() {
	stdin := strings.NewReader("180363646902239241 180363646902239242\n")
	run([]string{"parse", "--layout", "uidgenerator", "--format", "json"}, stdin, os.Stdout, os.Stderr, os.Getenv)
	// Output:
	// {"uid":"180363646902239241","time":"2016-07-19T10:07:53Z","worker_id":4,"sequence":9}
	// {"uid":"180363646902239242","time":"2016-07-19T10:07:53Z","worker_id":4,"sequence":10}
}

// The UIDs of a day, for a WHERE clause.
func Example_range() {
	run([]string{"range", "--from", "2026-11-21", "--to", "2026-11-22"}, os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	// Output:
	// WHERE id BETWEEN 961852771978444800 AND 964821453373439999
}
