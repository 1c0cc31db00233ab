// Package disposable uses worker IDs once: each start takes a number that nobody has had
// before. It is the scheme of Baidu's UidGenerator; package sqlstore has its table, so that
// services in Java and in Go can share one.
//
// It is for services whose starts are few against the layout's IDs, 4.2 million by default.
// A warning is logged above 80 % of them. Package lease uses IDs again.
//
// IDs are unique as long as the numbers only ever go up, in one copy of the store. The
// package of the store says what breaks that. They are a space of worker IDs of their own:
// UIDs of a leased and of a disposable worker can be equal.
package disposable
