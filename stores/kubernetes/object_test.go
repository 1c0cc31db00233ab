package kubernetes

import (
	"cmp"
	"encoding/json"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/stores/kubernetes/internal/fake"
)

var (
	subdomain  = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	labelValue = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`)
)

// Every key has an object of its own, whose name and labels Kubernetes allows.
func TestPlace(t *testing.T) {
	t.Parallel()
	names := []string{
		"orders", "Orders", "a", "a-", "-a", "x", "xa", "a.1", "orders.0", "a b", "ns/worker", "%2F", "own", "0",
		"uid-a", slug("Orders"), strings.Repeat("a", 52), strings.Repeat("a", 53), strings.Repeat("a", 64),
		strings.Repeat("-", 140),
	}
	const bytes = "ab0-.AX_ /:%"
	for range 1000 {
		name := make([]byte, 1+rand.IntN(100))
		for i := range name {
			name[i] = bytes[rand.IntN(len(bytes))]
		}
		names = append(names, string(name))
	}
	slices.Sort(names)
	keys := []string{}
	for _, name := range slices.Compact(names) {
		keys = append(keys, stores.Key{Tag: name, ID: -1}.String())
		for _, id := range []int64{-1, 0, 1, 63, 64, math.MaxInt64 - 1} {
			keys = append(keys, stores.Key{Namespace: name, ID: id}.String())
		}
	}
	of, spaces, tags := map[string]string{}, map[string]string{}, map[string]string{}
	for _, key := range keys {
		k, ok := stores.ParseKey(key)
		if !ok {
			continue // spaces around it, say
		}
		name, labels := place(key)
		require.Regexp(t, subdomain, name)
		require.LessOrEqual(t, len(name), 253)
		require.Empty(t, of[name], "%s has the name %s, too", key, name)
		of[name] = key
		for label, value := range labels {
			require.Regexp(t, labelValue, value, label)
			require.LessOrEqual(t, len(value), 63)
		}
		if k.Namespace == "" {
			require.Empty(t, tags[labels[labelSegment]], key)
			tags[labels[labelSegment]] = k.Tag
			continue
		}
		require.Contains(t, []string{"", k.Namespace}, spaces[labels[labelNamespace]], key)
		spaces[labels[labelNamespace]] = k.Namespace
	}
	require.Greater(t, len(of), 3000)
}

// kubectl get leases shows the holder, and since when; -o yaml all fields that Kubernetes has for leases.
func TestSpec(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		l := c.made()
		c.take(l)
		require.Equal(t, fake.Spec{}, c.Leases("shop")["uid-orders"].Spec)
		require.Equal(t, fake.Spec{}, c.Leases("shop")["uid-orders.1"].Spec, "nobody has ever leased it")
		began := time.Now().Add(1234567 * time.Microsecond).UTC()
		lead := 90*time.Second + time.Millisecond
		write := func(change func(r *storage.Lease)) (holder any, seconds, transitions int, acquired, renewed string) {
			require.NoError(t, l.Change(t.Context(), 0,
				func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error { change(r); return nil }))
			text, err := json.Marshal(c.Leases("shop")["uid-orders.0"].Spec)
			require.NoError(t, err)
			var s map[string]any
			require.NoError(t, json.Unmarshal(text, &s))
			return s["holderIdentity"], int(s["leaseDurationSeconds"].(float64)), int(s["leaseTransitions"].(float64)),
				s["acquireTime"].(string), s["renewTime"].(string)
		}
		for n, is := range []struct {
			change      func(r *storage.Lease)
			holder      any
			seconds     int
			transitions int
			acquired    string
			renewed     string
		}{
			{func(r *storage.Lease) {
				r.Nonce, r.Holder, r.Acquired, r.Renewed, r.Until = "a", "pod-7", began, began, began.Add(lead)
			}, "pod-7", 90, 1, "01.234567", "01.234567"},
			{func(r *storage.Lease) {
				r.Nonce, r.Renewed = "b", began.Add(time.Second)
			}, "pod-7", 89, 1, "01.234567", "02.234567"},
			{func(r *storage.Lease) { r.Nonce, r.Until = "", began }, nil, 1, 1, "01.234567", "02.234567"},
			{func(r *storage.Lease) {
				r.Nonce, r.Holder = "c", "pod-8"
				r.Acquired, r.Renewed = began.Add(2*time.Second), began.Add(3*time.Second)
				r.Until = began.Add(200 * 365 * 24 * time.Hour)
			}, "pod-8", math.MaxInt32, 2, "03.234567", "04.234567"},
		} {
			holder, seconds, transitions, acquired, renewed := write(is.change)
			require.Equal(t, is.holder, holder, n)
			require.Equal(t, is.seconds, seconds, n)
			require.Equal(t, is.transitions, transitions, n)
			require.Equal(t, "2000-01-01T00:00:"+is.acquired+"Z", acquired, n)
			require.Equal(t, "2000-01-01T00:00:"+is.renewed+"Z", renewed, n)
		}
		// What somebody has written there by hand does not matter.
		c.Edit("shop", "uid-orders.0", func(o *fake.Lease) { o.Spec = fake.Spec{} })
		require.Equal(t, "pod-8", c.row(0).Holder)
	})
}

// An object that this package cannot have written, or a newer version has, is an error that names it. What is in an
// object is read by later versions: it must not change.
func TestObject(t *testing.T) {
	t.Parallel()
	swap := func(annotation, old, new string) func(*fake.Lease) {
		return func(o *fake.Lease) {
			is := o.Meta.Annotations
			is[annotation] = strings.Replace(is[annotation], old, new, 1)
		}
	}
	for says, is := range map[string]struct {
		name   string
		change func(*fake.Lease)
	}{
		"not a JSON object":                 {"uid-orders.0", swap(annotationState, "{", orders.Secret)},
		"a JSON object with a version":      {"uidseg-orders", swap(annotationState, `{"v":1}`, "")},
		"its key is not that of its name  ": {"uid-orders", func(o *fake.Lease) { o.Meta.Annotations = nil }},
		"a newer version: its form is 2":    {"uidseg-orders", swap(annotationState, `"v":1`, `"v":2`)},
		"a field that is not known":         {"uid-orders.0", swap(annotationState, `"on":`, `"`+orders.Secret+`":`)},
		"log is of another type":            {"uid-orders", swap(annotationState, `[`, `["`+orders.Secret+`",`)},
		"its log is not in order":           {"uid-orders", swap(annotationState, `[`, `[9223372036854775807,`)},
		"its key is not that of its name":   {"uid-orders.0", swap(annotationKey, "00000", "00001")},
		"its key is not that of its name ":  {"uidseg-orders", swap(annotationKey, "orders", "Orders")},
	} {
		inCluster(t, func(t *testing.T, c *cluster) {
			says := strings.TrimSpace(says)
			l, numbers := c.made(), c.store().Segments()
			c.take(l)
			require.NoError(t, numbers.Change(t.Context(), "orders", orders.Draw(1)))
			own := c.Leases("shop")["uid-orders"]
			for name, state := range map[string]string{
				"uid-orders":    `{"v":1,"log":[101],"uid":"` + own.Meta.UID + `","clock_error":1000000}`,
				"uid-orders.1":  `{"v":1,"on":101}`,
				"uidseg-orders": `{"v":1}`,
			} {
				require.Equal(t, state, c.Leases("shop")[name].Meta.Annotations[annotationState])
			}
			c.Edit("shop", is.name, is.change)
			l = orders.Leases(t, c.store())
			var errs []error
			if is.name == "uidseg-orders" {
				errs = append(errs, numbers.Change(t.Context(), "orders", orders.UnaskedDraw(t)))
			} else {
				errs = append(errs, l.Change(t.Context(), 0, orders.Unasked(t)),
					l.Take(t.Context(), orders.Wanted(0, 9), orders.Unasked(t)))
			}
			if says == "its key is not that of its name" { // a list does not show it in another one's place
				_, listed := numbers.Rows(t.Context(), "", 9)
				_, _, named := c.store().Registry().Namespaces(t.Context())
				errs = append(errs, cmp.Or(listed, named))
			}
			for _, err := range errs {
				require.ErrorIs(t, err, uid.ErrRange, says)
				orders.Fails(t, err, false, "the annotations of the Lease "+is.name+" cannot be read", says)
			}
		})
	}
	o := &object{Meta: meta{Name: "uid-orders", Revision: "a-7"}}
	require.ErrorContains(t, o.read(), "the resourceVersion of the Lease uid-orders is no number")
	require.ErrorIs(t, o.read(), uid.ErrConfig)
}
