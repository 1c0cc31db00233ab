// Package disposable uses each worker ID once: each start takes a new number. It is the scheme
// of Baidu's UidGenerator; package sqlstore has its table. It is for services that start rarely, compared with the
// number of the layout's IDs, 4.2 million by default.
//
// IDs are unique as long as the numbers only ever go up, in one copy of the store. After a failover that has lost some,
// a start skips numbers; the store's package says how many, and what else breaks it. A UID under a disposable ID
// can be equal to one under a leased ID.
package disposable
