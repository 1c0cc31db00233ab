// Package harness runs what a test of uniqueness breaks, and keeps a record of what it draws meanwhile: processes of
// the test's own program, which it kills and pauses ([Process]); connections, which it breaks ([Proxy]);
// and workers' private clocks and names.
//
// The program calls [Ordered] first of all, which does the job of a process that was started by [Spawn].
//
// A [Record] keeps a bit for every UID or number that the processes have drawn. The bits are in memory that all
// processes share and that outlives each of them. So a UID that is drawn twice is found, whoever drew it and whoever
// was killed meanwhile.
//
// # How UIDs map to bits
//
// A record has one layout and a first tick. The bit of a UID is the UID minus the first UID
// of that tick under worker ID 0:
//
//	bit = UID - firstTick<<(workerBits+sequenceBits)
//
// So two UIDs have the same bit only if they are the same UID, and the bits of the record's
// ticks are numbered from 0 without gaps. Most are never used: the bitmap is a sparse file
// in memory (five minutes of the soak take 400 GiB of addresses, of which 5 billion UIDs
// fill 0.65 GB), and a page exists once a UID falls into it. UIDs of a tick and a worker ID
// are drawn from sequence 0 up, so their bits are adjacent, and each tick of each worker ID
// wastes at most a page. A record whose UIDs would not fit the address space is refused. A
// UID of a tick outside the record is a violation.
//
// # What a record sees
//
// An atomic OR sets a bit and returns whether it was set before: then that UID is a
// duplicate, whoever drew it and when. What a process has marked stays when it is killed.
// (UIDs that it had drawn and not yet marked were lost with it, and nobody saw them.) Beside
// the bitmap, each tick of each worker ID has a word that says which goroutine of which
// process drew from it first. A second process there is a violation even if it drew other
// UIDs. The word also names the other owner of a duplicate.
package harness
