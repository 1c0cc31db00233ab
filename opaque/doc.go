// Package opaque turns UIDs into numbers and short texts that tell nothing to those who lack
// the key, and back: for URLs, invoices and public APIs, while the database keeps the UID.
//
//	180363646902239241  <->  17e595010v5e6r        a Sealer: a text with the number of the key
//	180363646902239241  <->  8580805348056807640   its SealNumber: another number
//
// # What it hides
//
// A UID shows when it was made and by which worker, and two of them show how many were made
// between. Sealed, it shows none of this: neither the time nor the rate, the worker or the
// sequence, nor which of two is older. UIDs that follow one another look as different as any.
//
// Each kind of ID should have its own tweak, such as its table's name: then an order and an
// invoice of the same UID look different. A tweak is no secret.
//
// # What it does not do
//
//   - It is deterministic: under one key and tweak equal UIDs look equal, as an ID has to.
//   - It is no access control. Who has got a sealed ID has it; check what he may see.
//   - It is no proof of origin, no MAC. Every number opens to some UID, and so does every text of the
//     right form that names a known key. A guess meets one of n existing UIDs with a probability
//     of n/2^63. The time of the opened UID tells many of the others: ask
//     [github.com/uidgen/uid/bits.Layout.Doubt]. Under the default layout that is nine forged
//     ones of ten in its first year, but hardly any in its last. Looking the UID up tells all.
//   - Who has the key reads everything that was ever sealed with it, and can seal; there are no keys
//     for opening only.
//   - The number of the key is in the text, in clear.
//   - It does not hide what is shown otherwise: by the order of a list, a date of creation, a cursor.
//
// # How it works
//
// The cipher is FF1 of NIST SP 800-38G (2016), over AES of 128, 192 or 256 bits: a Feistel network
// of ten rounds, here on strings of 63 bits, so that each UID has an image and each image is a UID.
// The draft of the standard's revision 1 (2025) demands at least a million possible strings, since
// small domains can be attacked: Bellare, Hoang and Tessaro (CCS 2016), Durak and Vaudenay (CRYPTO
// 2017), Hoang, Tessaro and Trieu (CRYPTO 2018). The examples that such attacks need grow with a
// high power of the values that half a string can have; with 2^31 values they are far more than
// there are UIDs. FF3, the standard's other method, is broken, and the draft withdraws it.
//
// A sealed UID takes all 63 bits, whatever the layout: one of 53 bits for JavaScript does not stay
// below 2^53, so give JavaScript the text.
//
// # Keys
//
// A key is 16, 24 or 32 random bytes, not a password. Lose it, and no sealed ID can be opened. Change
// it with a [Sealer]: texts of the old key open as long as it is among the Keys. First give the
// new key to all processes, then make it the Current one. A UID has another text under the new key;
// compare UIDs, not texts.
//
// Everything here is immutable and safe for concurrent use. Sealing or opening takes ten AES
// blocks, some 300 ns.
package opaque
