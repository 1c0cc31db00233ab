// Package form has the forms of a UID other than decimal digits: short texts, texts with a prefix, and UUIDs.
//
//	180363646902239241                     decimal, the canonical text: uid.UID.String
//	05067s0001009                          Base32: 13 characters, sorts as the number does
//	order_05067s0001009                    ID: base32 with a prefix that names the kind of thing
//	RHQ2AMTaWc                             Base58, and in another order of digits Base58Flickr
//	DK4B9CNRWr                             Base62
//	05018f90-0001-8001-88e0-b456d8069047   Namespace.UUID: a UUID of version 8
//
// For new texts take base32, or an [ID] where the ids of several kinds of things meet. Base58 and base62 are for
// reading what others wrote: they do not sort, and a database that ignores case can take two of them for one. No form
// hides anything.
//
// Every Parse accepts exactly the texts that the form's own functions write. It returns [uid.ErrSyntax] for any other
// text, and [uid.ErrRange] for a number above [uid.Max]. For a negative UID, which no function of this module returns,
// what can fails with uid.ErrRange; the rest writes a minus sign, which no Parse accepts.
//
// All functions and methods are safe for concurrent use, but for those of a pointer on the same variable. Appending and
// parsing allocate nothing unless the slice has no room or the text is refused.
package form
