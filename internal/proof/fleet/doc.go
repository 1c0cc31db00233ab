// Package fleet holds tests of leased worker IDs under faults: processes that are
// killed and paused while they draw UIDs, and database servers that crash, lose what
// they acknowledged, or are cut off. It holds nothing else.
//
// The tests start real processes, which note each UID that they were given in a file
// that all of them map into their memory, so that a UID, or a tick of a worker ID, that
// was given twice is found whoever was killed meanwhile. Each test is also run with
// workers that mind only who has an ID and not which ticks are reserved, and then has to
// find duplicates.
//
// A plain go test injects a few faults of each kind; UID_FAULTS=full, as in make
// faults, the full number.
package fleet
