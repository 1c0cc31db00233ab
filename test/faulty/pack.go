package faulty

import (
	"slices"
	"sync"
)

// A pack keeps loops together: none is more than two rounds ahead of another. So none starves
// where a lock has no queue, as that of a SQLite file.
type pack struct {
	mu     sync.Mutex
	moved  *sync.Cond
	rounds []int // of each member; those that have left are not waited for
	size   int
}

const left = int(^uint(0) >> 1)

// newPack returns a pack whose members wait until there are size of them.
func newPack(size int) *pack {
	p := &pack{size: size}
	p.moved = sync.NewCond(&p.mu)
	return p
}

// A member is one loop.
type member struct {
	*pack
	i int
}

func (p *pack) join() member {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rounds = append(p.rounds, 0)
	p.moved.Broadcast()
	return member{p, len(p.rounds) - 1}
}

// step begins a round, once the others are near.
func (m member) step() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.rounds) < m.size || m.rounds[m.i] > slices.Min(m.rounds)+1 {
		m.moved.Wait()
	}
	m.rounds[m.i]++
	m.moved.Broadcast()
}

// leave ends the loop.
func (m member) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rounds[m.i] = left
	m.moved.Broadcast()
}
