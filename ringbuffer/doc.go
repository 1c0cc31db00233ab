// Package ringbuffer is a lock-free ring of runs: many takers claim UIDs with one atomic add each, one producer
// publishes a whole run of UIDs with one store.
//
// A tick is one unit of a UID's time field. A run is the 2^s UIDs of one tick of one worker, s being the number of
// sequence bits. A position is a UID without its worker ID: tick<<s | sequence. Positions are handed out in order, each
// at most once.
//
//	position   | tick .................... | sequence |       63 - w bits
//	run, UID   | tick .................... | worker ID | sequence |  63 bits
//
//	                  cursor: the position claimed last
//	                     |
//	tick 41 | tick 42 | tick 43 | tick 44 | tick 45 | tick 46 | tick 47
//	--------+---------+---------+---------+---------+---------+--------
//	used up | used up | in use  | ready   | ready   |   not published
//	                      ^                         ^
//	                    front                     tail: the first tick not published
//
//	slots of a ring of 4:   [ 44 ] [ 45 ] [ 42 ] [ 43 ]     tick t is in slot t mod 4
//
// # The producer
//
// The producer never moves a cursor that takers add to. It shuts the ring, so that later claims say so; then it may
// move on (Skip, Restart), claim for takers that wait (Allot), and open the ring again (Open). Shut an empty ring that
// may not be filled, too, so that no call claims in vain.
//
// # Cost
//
// Take is one load and one atomic add. No call allocates, locks, spins or reads a clock.
package ringbuffer

// Who does what, a slot's flag being the run that it holds:
//
// A taker reads front, the run that is probably in use, and adds one to the cursor: that is the claim. If the position
// lies in that run, the UID is good. Otherwise Resolve reads the tail and the flag of the tick's slot: the UID is good
// if the flag carries the tick, and else the claim is void. A position ahead of the tail stays its claimant's, and is
// worth a UID as soon as its tick is published.
//
// The producer stores the tail's run in its slot, once the cursor has left the run that was there, and raises the tail.
// A taker that was paused since it claimed there sees another tick and drops its claim.
//
// Why it is right:
//
//   - A position is claimed by the one atomic step that moves the cursor over it.
//   - The cursor of an open ring only grows, and is opened at or above where it was shut, and behind what was allotted
//     meanwhile. So no position is claimed twice.
//   - A UID is made from a position and a run that carries its tick. A run is in front or in a slot only after it was
//     published, and a tick is published at most once, since the tail only grows. So a UID has one worker ID and was
//     allowed.
//   - Front may be outdated when it is read. An outdated run does not carry the tick of the position, so it is not
//     used.
//   - Positions grow in the order of the claims, and UIDs with positions. So a take that begins after another one ended
//     gets the larger UID.
//
// ./model states the same rules in Promela; its mutants show that violations are found.
