// Package health says whether a generator can issue UIDs, why not, what it has counted, and how long each thing lasts
// that it depends on.
//
// A Health costs a reading of the clock, a lock and some small allocations, and calls that find a UID ready nothing.
//
// Readiness is for load balancers, and no ground to restart a process: nothing here gets better by that.
package health
