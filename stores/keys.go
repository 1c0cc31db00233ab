package stores

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/storage"
)

const (
	leasesDir   = "leases/"
	segmentsDir = "segments/"
	ownKey      = "namespace"
	workersDir  = "worker/"
	// digits are those of the largest worker ID that an int64 holds. All keys have as many, so that
	// their order is that of IDs.
	digits = 19

	// largestID is larger than any layout's, and not the largest number there is: so a count from ID to ID ends.
	largestID = math.MaxInt64 - 1
)

// A Key is what a key's text says: a namespace, a row of one, or a tag.
type Key struct {
	Namespace string // "" for a tag
	ID        int64  // of a row; -1 for the namespace's own key, and for a tag
	Tag       string
}

// ParseKey takes a key apart. It returns false for a text that is none.
func ParseKey(key string) (k Key, ok bool) {
	k.ID = -1
	if tag, is := strings.CutPrefix(key, segmentsDir); is {
		k.Tag = tag
		return k, storage.CheckTag(tag) == nil
	}
	rest, is := strings.CutPrefix(key, leasesDir)
	dir, rest, _ := strings.Cut(rest, "/")
	if k.Namespace, ok = nameOf(dir); !is || !ok || rest == ownKey {
		return k, is && ok
	}
	id, err := strconv.ParseInt(strings.TrimPrefix(rest, workersDir), 10, 64)
	k.ID = id
	return k, err == nil && id >= 0 && id <= largestID && k.String() == key
}

// String returns the key.
func (k Key) String() string {
	switch {
	case k.Namespace == "":
		return segmentsDir + k.Tag
	case k.ID < 0:
		return leasesDir + url.PathEscape(k.Namespace) + "/" + ownKey
	}
	return fmt.Sprintf("%s%s/%s%0*d", leasesDir, url.PathEscape(k.Namespace), workersDir, digits, k.ID)
}

// nameOf reads a namespace's name from its part of a key.
func nameOf(part string) (name string, ok bool) {
	name, err := url.PathUnescape(part)
	if err != nil || name == "" || url.PathEscape(name) != part {
		return "", false
	}
	_, err = settings.Namespace(name)
	return name, err == nil
}
