package subject

import (
	"encoding/binary"

	"github.com/jaevor/go-nanoid"
	"github.com/oklog/ulid/v2"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"
)

// IDs that are mostly seen as text.
var (
	// An xid holds a second, a process and a 24-bit counter, which is never checked against
	// the second: the 16,777,217th ID of a second repeats the first.
	xidNew = Subject{
		Name: "xid", Label: "rs/xid", Kind: Peer, Bits: 96, Module: "github.com/rs/xid", Shared: true,
		Sustained: 1 << 24, Beyond: Repeats,
		Open: func() (Source, error) { return xids{}, nil },
	}
	// Make is the library's call that is safe for many goroutines: it draws from one monotonic
	// source per process, behind a lock.
	ulidMake = ofProcess("ulid", "oklog/ulid, Make", "github.com/oklog/ulid/v2", 128,
		func() Source { return ulids{} })
	ksuidNew = ofProcess("ksuid", "segmentio/ksuid", "github.com/segmentio/ksuid", 160,
		func() Source { return ksuids{} })
	nanoid21 = Subject{
		Name: "nanoid", Label: "jaevor/go-nanoid, 21", Kind: Peer, Bits: 168, Module: "github.com/jaevor/go-nanoid",
		Open: func() (Source, error) { next, err := nanoid.Standard(21); return nanoids{next}, err },
	}
)

type xids struct{}

func (xids) Draw(n int) error { return each(n, func() error { xid.New(); return nil }) }
func (xids) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) {
		u := xid.New()
		return Key{uint64(binary.BigEndian.Uint32(u[:4])), binary.BigEndian.Uint64(u[4:])}, nil
	})
}

type ulids struct{}

func (ulids) Draw(n int) error { return each(n, func() error { ulid.Make(); return nil }) }
func (ulids) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { return key16(ulid.Make()), nil })
}

type ksuids struct{}

func (ksuids) Draw(n int) error {
	return each(n, func() error { _, err := ksuid.NewRandom(); return err })
}

// Keys keeps the 128 random bits without the second before them: a repetition in another
// second is no more likely.
func (ksuids) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { u, err := ksuid.NewRandom(); return key16([16]byte(u.Payload())), err })
}

type nanoids struct{ next func() string }

func (s nanoids) Draw(n int) error { return each(n, func() error { s.next(); return nil }) }
func (s nanoids) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { return key21(s.next()), nil })
}

// key21 packs 21 characters of an alphabet of 64: 126 bits.
func key21(s string) (k Key) {
	for i := range len(s) {
		k[0] = k[0]<<6 | k[1]>>58
		k[1] = k[1]<<6 | uint64(sixBits[s[i]])
	}
	return k
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

var sixBits = func() (t [256]byte) {
	for i, c := range []byte(alphabet) {
		t[c] = byte(i)
	}
	return t
}()
