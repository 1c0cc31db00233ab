// Package form has the forms of a UID other than decimal digits: short texts, texts with a prefix, and UUIDs.
//
//	180363646902239241                     decimal, the canonical text: uid.UID.String
//	05067s0001009                          Base32: 13 characters, sorts as the number does
//	order_05067s0001009                    ID: base32 with a prefix that names the kind of thing
//	RHQ2AMTaWc                             Base58, and in another order of digits Base58Flickr
//	DK4B9CNRWr                             Base62, and in another order of digits Base62Inverted
//	05018f90-0001-8001-88e0-b456d8069047   Namespace.UUID: a UUID of version 8
//
// For new texts take base32, or an [ID] where the ids of several kinds of things meet. Base58 and base62 are for
// reading what others wrote: they do not sort, and a database that compares without regard to case can take two of them
// for one. None of the forms hides anything.
//
// Every Parse accepts exactly the texts that the form's own functions write, so a text can be a key. It returns
// [uid.ErrSyntax] for any other text, and [uid.ErrRange] for a number above [uid.Max]. A negative UID, which no
// function of this module returns, has no form: what returns an error returns uid.ErrRange, and what returns just a
// string writes it with a minus sign, which no Parse accepts.
//
// All functions and methods are safe for concurrent use, but for those of a pointer on the same variable. Appending and
// parsing take well below a microsecond, and allocate nothing unless the slice has no room or the text is refused.
package form
