// Package engines has the servers of every engine that the project has a store for, as programs
// need them that inject faults: how to start them, to reach them through proxies, and to open their stores
// in any process. Its tests run the command and the checks on real servers.
package engines
