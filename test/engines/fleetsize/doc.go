// Package fleetsize measures what a fleet of leases asks of a real server, and how long the fleet
// waits when all of it starts at once.
//
// Some processes hold many leases each, with a generator on each. All start in the same moment;
// then they renew, while the server's processor time and statements are counted; then they release
// what they hold. The same start happens once more over a line with 40 ms each way. No worker ID
// may be held twice.
//
// One process has a thousand tenants, with a lease and a generator for each. It is killed and started again, at once
// and when its leases have ended, so that others take over what it had. No UID may come twice.
//
// A plain go test has 200 leases in 4 processes. FULL=1, which make engines passes on, has 2,000 in
// 20, and writes the table of docs/fleet.md; it starts tenants one after another as well, and logs how long each way
// takes.
package fleetsize
