// Package segment issues dense numbers without time: 1, 2, 3. A store, such as a table of a database,
// keeps one row a tag with the next number. A generator takes a range of numbers from the row, a
// segment, and issues them at the cost of an atomic add. Before a segment is used up the next one is there.
//
// It is Leaf's segment mode, and with sqlstore's Segments it works on Leaf's own table, beside services
// in Java.
//
// # When to use it
//
// Numbers are short, and dense as long as processes end in good order: for invoices, for short keys,
// and where a table counts already. They say how many there are, and when they are all drawn from one
// process, in what order. Numbers of several processes are unique, but not ordered by time: each
// process draws from its own segment. And a store has to be there when a process starts. UIDs with
// time (packages cached and uncached) need none of that.
//
// # What is promised
//
// No number of a tag is issued twice, by any process, as long as the store keeps what it has
// acknowledged. A store that may lose acknowledged writes is refused, unless Config.LossyStore
// accepts that. If a store loses them all the same, each generator notices when it next takes numbers:
// the row no longer has the generator's nonce with the last number that it took, unless MaxTakers
// others have taken since; or the row is older than the generator has seen it. If somebody lowers a
// row's number by hand, or removes it, all generators notice, also those that start then. One
// that notices issues nothing any more and returns ErrLost. What it and others have issued until then
// can be equal.
//
// A number is skipped when a process is killed with numbers in hand, when numbers could not be given
// back at Close, because others have taken since or the store failed, and when the reply to
// giving them back was lost. A reply that is lost when numbers are taken skips nothing: the row tells by
// the nonce whose they are.
//
// # How it works
//
// Positions come from the ring of package ringbuffer, whose cursor is the one thing that calls
// contend for. A list of spans, which never change, maps positions to numbers. Where the numbers in hand
// end, the ring is shut by a swap that tells exactly how far the calls came, so that the next segment
// begins with no number lost, and a Release gives back exactly what nobody has claimed. ./model states
// the rules in Promela; its mutants show that violations are found.
//
// A generator has no goroutine but while it takes numbers, and a tag that is not used costs nothing but
// its memory.
package segment
