package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
)

// choose returns one part in n of the mutants. The text of the files that they change says which.
func choose(all []mutant, n int) ([]mutant, error) {
	if n < 1 {
		return nil, fmt.Errorf("-of %d: the smallest is 1, which is all", n)
	}
	if n == 1 {
		return all, nil
	}
	h := sha256.New()
	seen := map[string]bool{}
	for _, m := range all {
		if seen[m.file] {
			continue
		}
		seen[m.file] = true
		text, err := os.ReadFile(m.file)
		if err != nil {
			return nil, err
		}
		h.Write(text)
	}
	k := partOf(h.Sum(nil), n)
	chosen := part(all, k, n)
	fmt.Printf("part %d of %d, as the sources choose: %d of %d mutants\n", k+1, n, len(chosen), len(all))
	return chosen, nil
}

// partOf returns which part a sum chooses, from 0 on.
func partOf(sum []byte, n int) int { return int(binary.BigEndian.Uint64(sum) % uint64(n)) }

// part returns every nth mutant, so that each part has some of each list.
func part(all []mutant, k, n int) (some []mutant) {
	for i := k; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}
