// Package opaque turns UIDs into numbers and short texts that reveal nothing without the key, and back: for URLs,
// invoices and public APIs.
//
//	180363646902239241  <->  17e595010v5e6r        Sealer.Seal: a text with the number of the key
//	180363646902239241  <->  8580805348056807640   Sealer.SealNumber: another number
//
// A sealed UID does not show when and by which worker it was made, how many were made between two, nor which is older.
//
// # What it does not do
//
//   - It is deterministic: under one key and tweak equal UIDs look equal.
//   - It is no access control. Check what the owner of an ID may see.
//   - It is no proof of origin. Every number opens to some UID, and so does every well-formed text that names a known
//     key's number, without an error. The time of the UID tells many forged ones
//     ([github.com/uidgen/uid/bits.Layout.Doubt]); looking the UID up tells all but a guess that meets one of n
//     existing UIDs, with a probability of n/2^63.
//   - The owner of the key reads everything sealed with it, and can seal. The text shows its number.
//   - It does not hide what else shows an order or a time: a list, a date, a cursor.
//
// The cipher is FF1 of NIST SP 800-38G (2016) over AES, on strings of 63 bits. A sealed UID takes all 63 bits, whatever
// the layout: give JavaScript the text.
//
// # Keys
//
// A key is random bytes, not a password. Lose it, and no sealed ID can be opened. To change it, first give the new key
// to all processes, then make it the Current one: texts of the old key open as long as it is among the Keys. Compare
// UIDs, not texts.
//
// Everything here is immutable and safe for concurrent use. Sealing or opening takes some 300 ns.
package opaque
