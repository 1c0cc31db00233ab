// Package ringbuffer is a lock-free ring of runs: many takers claim UIDs with one
// atomic add each, one producer publishes a whole run of UIDs with one store.
//
// # Words
//
// A tick is one unit of a UID's time field. A run is the consecutive UIDs of one
// tick of one worker: 2^s of them, s being the number of sequence bits. A run is stored as
// its first UID, whose sequence is 0. A position is a tick and a sequence, tick<<s |
// sequence: a UID without its worker ID. Positions are handed out in order, each at most
// once, and never reused; that is what makes UIDs unique. At 1 ns each, 2^63 of them last
// 292 years.
//
//	position   | tick .................... | sequence |       63 - w bits
//	run, UID   | tick .................... | worker ID | sequence |  63 bits
//
// # Picture
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
// A slot's flag is the run that it holds. That one word has the tick (the lap of the
// classic ring) and the worker, so it can neither be read in part nor be taken for another
// lap's.
//
// # Who does what, when
//
// A taker reads front, the run that is probably in use. Then it adds one to the cursor:
// that is the claim, and the result is the claimed position. If the position lies in the
// run that it read, the UID is the run with the position's sequence in it, and the taker is
// done; so it goes for all but a few takes of each run. Otherwise it reads the tail and the
// flag of its tick's slot (Resolve). If the flag carries its tick, the UID is good all the
// same, and the taker updates front. If it carries another tick, the claim is void, or too
// early: a position ahead of the tail belongs to its claimant for good, and is worth a UID
// as soon as its tick is published.
//
// The producer publishes the tail's run by storing it in its slot (Put), then raises the
// tail. It may do so only if nobody can still claim from the run that was in the slot, that
// is, if the cursor has left it behind. A taker that claimed there and was paused since may
// find the later run; it sees another tick and drops its claim.
//
// The producer never moves a cursor that takers add to. It shuts the ring: it swaps the
// cursor for a value far above all positions. The swap returns exactly how far the takers
// came, and every later claim gets a position that says that the ring was shut. Then the
// producer may move on (Skip to a tick in the ring, Restart after a gap) and store the new
// cursor (Open). A ring in which nothing is left and nothing may be published is shut, too.
// So the number of takers bounds the positions that are claimed in vain, and lost if their
// takers do not wait.
//
// While the ring is shut, the producer may claim for takers that wait (Allot), in an order
// of its own. If it does so before it opens the ring, nobody passes them: an add to an open
// cursor gets a position behind theirs.
//
// # Blocks
//
// With runs of a few UIDs nearly every take would find front outdated, and each run would cost two
// stores. So ticks may share a slot, in aligned blocks of a power of two:
//
//	tick   40 | 41 | 42 | 43 || 44 | 45 | 46 | 47 ||
//	       [ flag: run 40    ][ flag: run 44      ]       tail: 46
//
// The flag is the run that began the block, and stands for all ticks from there to the end of the
// block, as far as they are below the tail. The runs that follow it in a row, under the same worker
// ID, are published by the tail alone. Behind a gap a flag of its own begins, and what was left of
// the old one's block is void; another worker ID waits until the block's ticks are used up.
// Front names a block when that was published as a whole, from its first tick on: who saw the tail
// beyond the block and then its flag knows that it was. Take knows the first run of that block, and
// OfFront all of it, by a look at front alone. With blocks of one tick all this is what is said above.
//
// # Why it is right
//
//  1. A position is claimed by the one atomic step that moves the cursor over it. There
//     is no second step that could fail or be judged by an older value.
//  2. The cursor of an open ring only grows, and is opened at or above where it was
//     shut, and behind what was allotted meanwhile. So no position is claimed twice.
//  3. A UID is made from a position and a run that carries the position's tick. A run
//     is in front or in a slot only after it was published, and a tick is published at
//     most once, since the tail only grows. So a UID has one worker ID and was allowed.
//     (A flag that stands for other ticks too does so only for those published in a row
//     with its own: a gap or another worker ID within its block replaces it.)
//  4. Front may be outdated when it is read, before a claim (Take) or after it (OfFront). An
//     outdated run does not carry the tick of the position, so it is not used.
//  5. Positions grow in the order of the claims, and UIDs with positions. So a take that
//     begins after another one ended gets the larger UID.
//
// ./model states the same rules in Promela; its mutants show that violations are found.
//
// # Cost
//
// Take is one load of a cache line that is written once a run, one atomic add on the line
// that all takers share, and five register instructions. Put is two stores. Shut and Open
// are one atomic exchange each, about once a second. OfFront is a load of the line that Take has
// just read, and some register instructions. No call allocates, locks, spins or reads a clock.
//
// # What was tried and dropped
//
// In multiples of a bare atomic add by 1, 2 and 8 goroutines on two cores, where the ring
// as built costs 1.15, 1.32 and 1.17:
//
// Reading the slot's flag after the add instead of front before it: 1.24, 1.48, 1.74.
// Correct and simple, but nothing overtakes a locked instruction on x86, so every call pays
// the latency of two dependent shifts and a load.
//
// No slots, but a limit to compare the cursor with: 1.19, 1.20, 1.29. As fast, but it cannot
// tell a skipped tick from a published one, nor change the worker ID.
//
// Claims by compare-and-swap: 1.28, 3.02, 3.40. As good as an add while nobody contends;
// with two goroutines three claims in ten fail, and each failure moves the cache line for
// nothing. With back-off: 1.29, 2.75, 1.81; it slows single calls to speed up others. More
// cores make more failures; an add never fails.
//
// One slot and one flag for each UID, as in UidGenerator: 3.31, and the producer must write
// all the UIDs. (It contends less, because it takes so long between claims.)
package ringbuffer
