// Package uid defines the types the module's packages share: [UID], its decoded
// [Parts], the [Generator] that makes UIDs, the [Worker] that says under which worker
// ID and for which ticks they may be made, and the sentinel errors.
//
// A UID is a non-negative 63-bit integer, ordered by time:
//
//	 0   28 bits          22 bits     13 bits
//	+-+----------------+-----------+----------+
//	|0|  delta seconds | worker ID | sequence |   the default layout
//	+-+----------------+-----------+----------+
//
// A layout (package bits) sets the widths, the epoch and the unit of the time field.
// Package cached draws UIDs from a lock-free ring that it fills ahead of time; package
// uncached (folder default) reads the clock for each. Worker IDs come from package
// worker and the packages below it. Package form has the forms of a UID other than decimal
// digits: short texts, texts with a prefix, UUIDs.
//
// This package imports the standard library only.
package uid
