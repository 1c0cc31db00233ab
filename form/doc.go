// Package form has the forms of a UID other than decimal digits: short texts, texts with a
// prefix, and UUIDs.
//
//	180363646902239241                     decimal, the canonical text: uid.UID.String
//	05067s0001009                          Base32: 13 characters, sorts as the number does
//	order_05067s0001009                    ID: base32 with a prefix that names the kind of thing
//	RHQ2AMTaWc                             Base58, and in another order of digits Base58Flickr
//	DK4B9CNRWr                             Base62, and in another order of digits Base62Inverted
//	05018f90-0001-8001-88e0-b456d8069047   Namespace.UUID: a UUID of version 8
//
// For new texts take base32, or an [ID] where the ids of several kinds of things meet. Base58
// and base62 are for reading what others wrote: they are two or three characters shorter, but
// do not sort, and a database that compares without regard to case can take two of them for one.
//
// # One text for each UID
//
// Every Parse accepts exactly the texts that the form's own functions write: no other case, no
// leading zeros, no look-alikes, nothing around it. So two different texts are never the same UID, and
// a text can be a key. Parse returns [uid.ErrSyntax] when a text is no such text, and
// [uid.ErrRange] when it is a number above [uid.Max]; the errors say what is wrong, and at which
// position, counted from 1.
//
// A negative UID, which no function of this module returns, has no form: what returns an error
// returns uid.ErrRange. The functions that return just a string write it with a minus sign, as
// uid.UID.String does, which no Parse accepts.
//
// None of these forms hides anything: whoever has the text has the UID.
//
// All functions and methods are safe for concurrent use, but for those of a pointer (such as Scan)
// on the same variable. Appending and parsing take well below a microsecond, and allocate nothing unless the
// slice has no room or the text is refused.
package form
