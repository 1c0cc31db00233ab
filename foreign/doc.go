// Package foreign reads numbers that other generators made and that no layout of package
// bits describes: Sonyflake's, whose sequence is above the machine ID, and those that
// UidGenerator has made since its time field ran over into the sign. (Twitter's,
// Discord's, Instagram's, yitter's and Leaf's are presets of package bits.)
//
//	 0   39 bits of 10 ms          8 bits     16 bits
//	+-+--------------------------+----------+------------+
//	|0|      elapsed time        | sequence | machine ID |   Sonyflake
//	+-+--------------------------+----------+------------+
//
//	 29 bits of seconds        22 bits     13 bits
//	+------------------------+-----------+----------+
//	|     delta seconds      | worker ID | sequence |   UidGenerator since 2024-11-20
//	+------------------------+-----------+----------+
//
// A column that UidGenerator overran is one of int64 in Go: a uid.UID refuses negative numbers. In age order its
// numbers are as uint64: ORDER BY id < 0, id in SQL. [ParseFormat] says what each means.
//
// The command uid guess says which of all these a number could be, and what speaks for it.
//
// Everything here is a value that may be shared, and every function may be called by any
// number of goroutines at once.
package foreign
