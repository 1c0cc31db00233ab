// Package consecutive writes UIDs that follow each other.
package consecutive

import "github.com/uidgen/uid"

// Fill fills dst with first and the UIDs after it. It writes eight in a turn, so that a
// processor that can write more than one word in a cycle does.
func Fill(dst []uid.UID, first uid.UID) {
	for len(dst) >= 8 {
		p := (*[8]uid.UID)(dst)
		p[0] = first
		p[1] = first + 1
		p[2] = first + 2
		p[3] = first + 3
		p[4] = first + 4
		p[5] = first + 5
		p[6] = first + 6
		p[7] = first + 7
		dst = dst[8:]
		first += 8
	}
	for i := range dst {
		dst[i] = first + uid.UID(i)
	}
}
