// Package server answers for UIDs and for the numbers of tags over HTTP and over the Redis
// protocol. It is the server of the command's uid serve.
//
// Two rules keep an answer from being given twice, or from being read as another number:
//
//   - No answer may be cached: each says Cache-Control: no-store.
//   - An answer that is cut off shows: each has a Content-Length, or an end of its own.
//
// A number that was drawn and could not be sent is skipped, never offered again.
//
// The reader of the Redis protocol is our own: the libraries at hand allocate what a client
// announces, or fail on a length near 2^63, before anybody has proved who he is.
package server
