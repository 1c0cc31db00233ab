// Package tenants starts a process with a thousand tenants on a real server: a lease and a
// generator for each, made together by a [lease.Group]. The process is killed and started again,
// at once and when its leases have ended, so that others take over what it had. No UID may come
// twice.
//
// FULL=1 starts them without a Group as well, side by side and one after another, and logs how long
// each way takes.
package tenants
