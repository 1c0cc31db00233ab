// Package segment issues dense numbers without time: 1, 2, 3. A store, such as a table of a database, keeps one row a
// tag with the next number. A generator takes a range of numbers from the row, a segment, and issues them at the cost
// of an atomic add. See docs/segments.md.
//
// Numbers of several processes are not ordered by time. They tell how many there are, and a store has to be there when
// a process starts.
//
// No number of a tag is issued twice, by any process, as long as the store keeps what it has acknowledged. If it loses
// numbers all the same, each generator that had them notices when it next takes some, unless 256 others have taken
// since; if a row's number is lowered by hand, or the row is removed, all of them notice, new ones too. A generator
// that notices issues nothing any more and returns [ErrLost]. Numbers that it and others issued until then can be
// equal.
//
// Numbers are skipped when a process is killed with numbers in hand, when others have taken some before Close gives
// back what is left, and when giving back fails.
package segment
