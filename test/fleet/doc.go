// Package fleet holds tests of leased worker IDs under faults, and nothing else. Processes
// are killed and paused while they draw UIDs; database servers crash, lose commits that
// they acknowledged, or are cut off.
//
// The tests start real processes. Each notes every UID that it gets in a file that all of
// them map into memory. So a UID, or a tick of a worker ID, that was issued twice is found
// even if a process was killed. Each test also runs with workers that check only who has
// an ID, not which ticks are reserved, and must then find duplicates.
//
// A plain go test injects a few faults of each kind. UID_FAULTS=full, which make faults
// sets, injects the full number.
package fleet
