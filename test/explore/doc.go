// Package explore runs lock-free code in every order that its goroutines could run in, within bounds, and
// prints the order in which it fails. It explores the code itself, not a model of it.
//
// A scenario makes what is to be tested and starts tasks, which stand for goroutines:
//
//	func twoTakers(r *explore.Run) {
//		q := newQueue(1, 2, 3)
//		got := map[int]string{}
//		r.Each(1, func(name string) {
//			v := q.take()
//			if got[v] != "" {
//				r.Failf("%s has %d, and so has %s", name, v, got[v])
//			}
//			got[v] = name
//		}, "A", "B")
//	}
//
//	func TestExplore(t *testing.T) {
//		explore.Test(t, explore.Scenarios{"twoTakers": twoTakers})
//	}
//
// The package under test is compiled against this one in place of sync and sync/atomic: see package overlay. Each
// operation on an atomic or a mutex is then a point: the task stops before it, and whoever is chosen goes on. As one
// task runs at a time, the scenario's own variables need no lock, and what it notes between two points happens at once.
// Go's atomics are sequentially consistent, so an order of points is all that goroutines can make a difference by, if
// the code has no data race. (That is what the race detector is for: it finds nothing here.)
//
// Test walks through the schedules depth first. A task goes on until it ends or waits for a mutex, unless it is
// preempted, and each schedule with at most so many preemptions is run once: most faults need one or two (Musuvathi and
// Qadeer, "Iterative Context Bounding for Systematic Testing of Multithreaded Programs"). Or it gives tasks random
// priorities and changes those at random points, which finds faults that need more (Burckhardt and others, "A
// Randomized Scheduler with Probabilistic Guarantees of Finding Bugs"). Each finds what the other does not.
//
// A failure is printed step by step: the task, the operation, the line of code, and the value. So is its schedule, a
// text such as A8B25A1: eight steps of the first task, 25 of the second, one of the first. It replays the failure as
// long as neither the scenario nor the code has changed.
//
// Everything else in a scenario has to be the same in each run: no random numbers, no order of maps. It runs in a
// bubble of testing/synctest, where time stands still until a task sleeps: that task is the clock.
//
// # Two ways to run tasks
//
// Test makes tasks coroutines, and manages tens of thousands of schedules a second. A task must not wait for anything
// but mutexes, and what the code starts with a go statement is left out: a scenario has tasks in its place.
//
// TestWhole makes them goroutines, and lets one go on until all are blocked, in a point or elsewhere. So the code
// may start goroutines, wait for channels and set timers: whole programs run, a hundred times slower. What select
// chooses among channels that are ready stays Go's to choose: such a schedule may need several replays.
//
// # What it does not show
//
// Schedules with more preemptions than tried, scenarios that nobody wrote, and more tasks, calls or larger sizes than
// those of the scenarios. Plain variables are no points. A wait without end is found only if no task can go on
// (a deadlock), or as more than 10,000 steps.
package explore
