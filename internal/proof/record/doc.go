// Package record keeps a bit for every UID that the processes of a test have drawn, in
// memory that all of them share, and that outlives each of them: so that one which is drawn
// twice is found, whoever drew it, and whoever was killed meanwhile.
//
// # How UIDs map to bits
//
// A record has one layout, and a first tick. The bit of a UID is the UID less the first
// UID of that tick under worker ID 0:
//
//	bit = UID - firstTick<<(workerBits+sequenceBits)
//
// so that two UIDs have the same bit only if they are the same UID, and the bits of the
// record's ticks are all numbers from 0 up. Most of them are never used: the bitmap is a
// file in memory with holes (400 GiB of addresses for five minutes of the soak, of which 5
// billion UIDs fill 0.65 GB), and a page of it exists once a UID falls into it. As UIDs of a
// tick and a worker ID are drawn from sequence 0 up, their bits are side by side, and no
// more than a page is wasted for each tick of each worker ID. A record whose UIDs would not
// fit the address space is refused. A UID of a tick outside of it is a violation.
//
// # What is seen
//
// A bit is set by an atomic OR, which tells whether it was set before: that UID is a
// duplicate, whoever drew it and when. What a process has marked stays when it is killed.
// (What it had drawn and not yet marked nobody has seen: those UIDs were lost with it.)
// Beside the bitmap there is a word for each tick of each worker ID: which process, and
// which goroutine of it, was the first to draw of it. Two processes there are a violation
// even if they drew different UIDs, and it names the other owner of a duplicate.
package record
