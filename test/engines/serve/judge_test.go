package serve

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A verdict is what came of a run.
type verdict struct {
	uids, numbers       int // drawn
	doubleUIDs, doubles int // of them, those that came again
	failures            map[string]int
	surprises           []string
	overWeb, overRedis  int
	quiet               int // clients that drew nothing
}

// judge marks every number, and finds those that come again.
func judge(clients []*client) (v verdict) {
	v.failures = map[string]int{}
	var uids, numbers []int64
	for i, c := range clients {
		uids, numbers = append(uids, c.uids...), append(numbers, c.numbers...)
		if i < webClients {
			v.overWeb += len(c.uids)
		} else {
			v.overRedis += len(c.uids)
		}
		if len(c.uids)+len(c.numbers) == 0 {
			v.quiet++
		}
		for kind, n := range c.failures {
			v.failures[kind] += n
		}
		v.surprises = append(v.surprises, c.surprises...)
	}
	v.uids, v.doubleUIDs = len(uids), again(uids)
	v.numbers, v.doubles = len(numbers), again(numbers)
	return v
}

// again returns how many numbers come again. It sorts them.
func again(all []int64) int {
	slices.Sort(all)
	return len(all) - len(slices.Compact(slices.Clone(all)))
}

// String is the verdict for people.
func (v verdict) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "  %d UIDs over HTTP, %d over RESP: %d come twice\n", v.overWeb, v.overRedis, v.doubleUIDs)
	fmt.Fprintf(&w, "  %d numbers of a tag: %d come twice\n", v.numbers, v.doubles)
	for _, kind := range slices.Sorted(maps.Keys(v.failures)) {
		fmt.Fprintf(&w, "  %s: %d\n", kind, v.failures[kind])
	}
	return w.String()
}

// err returns why a run was not as it should be.
func (v verdict) err(leastUIDs, leastNumbers int) error {
	switch {
	case v.doubleUIDs > 0 || v.doubles > 0:
		return fmt.Errorf("%d of %d UIDs and %d of %d numbers come twice", v.doubleUIDs, v.uids, v.doubles, v.numbers)
	case len(v.surprises) > 0:
		return fmt.Errorf("clients saw what is neither a number nor an error:\n%s", strings.Join(v.surprises, "\n"))
	case v.overWeb < leastUIDs || v.overRedis < leastUIDs || v.numbers < leastNumbers:
		return fmt.Errorf("%d UIDs over HTTP, %d over the Redis protocol and %d numbers were drawn, "+
			"want %d, %[4]d and %d", v.overWeb, v.overRedis, v.numbers, leastUIDs, leastNumbers)
	case v.quiet > 0:
		return fmt.Errorf("%d clients drew nothing", v.quiet)
	}
	return nil
}
