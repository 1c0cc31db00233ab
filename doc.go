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
// The widths, the epoch and the unit of the time field are the layout's
// (package bits). UIDs are made by package cached, which draws them from a
// lock-free ring that is filled ahead of time, or by package uncached (folder
// default), which asks the clock for each. Worker IDs come from package worker.
//
// This package imports nothing but the standard library, and none of the other
// packages of the module.
package uid
