// Package tenants starts a process with a thousand tenants on a real server: a lease and a generator
// for each, side by side. The process is killed and started again, at once and when its leases have
// ended, so that others take over what it had. No UID may come twice.
//
// FULL=1 starts some one after another as well, and logs how long each way takes.
package tenants
