// Package foreign reads numbers that other generators made and that no layout of package bits describes: Sonyflake's,
// whose sequence is above the machine ID, and those that UidGenerator has made since its time field ran over into the
// sign.
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
// A column that UidGenerator overran is one of int64 in Go, tagged `json:",string"` for JavaScript: a uid.UID refuses
// negative numbers. By age its numbers sort as uint64; in SQL: ORDER BY id < 0, id.
//
// Everything here is safe for concurrent use.
package foreign
