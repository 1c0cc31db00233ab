package simulation

// An event is a turn of a process, or something else that happens.
type event struct {
	at      int64 // nanoseconds since the beginning
	number  uint64
	process *process
	turn    uint32 // of the process: an outdated one is passed over
	happens func() // if process is nil
}

// A queue keeps events by their time, and those of the same time as they were put in.
type queue struct {
	events []event
	number uint64
}

func (e *event) before(f *event) bool { return e.at < f.at || e.at == f.at && e.number < f.number }

func (q *queue) push(e event) {
	q.number++
	e.number = q.number
	q.events = append(q.events, e)
	h := q.events
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h[i].before(&h[up]) {
			return
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (q *queue) pop() (first event, found bool) {
	h := q.events
	if len(h) == 0 {
		return first, false
	}
	first = h[0]
	last := len(h) - 1
	h[0], h[last] = h[last], event{}
	h = h[:last]
	q.events = h
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < last; c++ {
			if h[c].before(&h[least]) {
				least = c
			}
		}
		if least == i {
			return first, true
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
