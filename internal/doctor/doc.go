// Package doctor examines a store of worker IDs for what can harm workers: settings that lose
// writes or waste IDs, clocks, rights, namespaces and their leases. [Check] returns what it finds,
// why that matters and what to do about it.
//
// It judges by itself what every store tells. What only a kind of store knows comes from the store,
// if it is an [Examiner].
package doctor
