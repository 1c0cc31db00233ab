package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/doctor"
)

var _ doctor.Examiner = (*Store)(nil)

// Inspect implements [lease.Store]. It asks one member for its version: some have lost
// acknowledged writes. It skips what the account may not see.
func (l *Leases) Inspect(ctx context.Context) (lossy []string, err error) {
	return l.store.inspect(ctx)
}

func (s *Store) inspect(ctx context.Context) (lossy []string, err error) {
	endpoints := s.client.Endpoints()
	rand.Shuffle(len(endpoints), func(i, j int) { endpoints[i], endpoints[j] = endpoints[j], endpoints[i] })
	for _, e := range endpoints {
		is, failure := s.status(ctx, e)
		if failure == nil {
			if why := faults(is.Version); why != "" {
				lossy = append(lossy, fmt.Sprintf("etcd %s has a known fault: %s", is.Version, why))
			}
			return lossy, nil
		}
		if retry.IsTransient(failure) {
			err = failure
		}
	}
	return nil, err
}

// faults says by what a version of etcd can lose acknowledged writes, or have members that
// differ; "" if nothing is known.
func faults(version string) string {
	var major, minor, patch int
	if _, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); err != nil {
		return ""
	}
	switch {
	case major != 3:
		return ""
	case minor < 4 || minor == 4 && patch < 22:
		return "a cluster of one can lose what it has answered, and members can come to differ (mended in 3.4.22)"
	case minor == 5 && patch < 6:
		return "members can come to differ after a crash (mended in 3.5.6)"
	}
	return ""
}

// status asks the member at an endpoint how it does.
func (s *Store) status(ctx context.Context, endpoint string) (*clientv3.StatusResponse, error) {
	limited, cancel := context.WithTimeout(ctx, s.cfg.RequestTimeout)
	defer cancel()
	resp, err := s.client.Status(limited, endpoint)
	if err != nil {
		return nil, failed(ctx, "ask for the status", err)
	}
	return resp, nil
}

// Examine implements [doctor.Examiner]: the members and their versions, alarms, the size of the
// database, how much history is kept, this account's rights, whether each namespace is of this
// cluster and has the same ClockError, and whether each row of segments is. It writes nothing. It does not see whether members
// run with --unsafe-no-fsync.
func (s *Store) Examine(ctx context.Context, _ doctor.Config) ([]doctor.Finding, error) {
	e := &examination{Store: s}
	for _, step := range []func(context.Context) error{e.members, e.status, e.alarms, e.history, e.rights, e.namespaces, e.segments} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	e.add(doctor.LevelNote, "etcd disks", "could not be told", "No member says whether it runs with --unsafe-no-fsync, by which a crash can lose what was acknowledged: UIDs could come twice.",
		"Look at the members' command lines.")
	return e.findings, nil
}

type examination struct {
	*Store
	findings []doctor.Finding
}

func (e *examination) add(level doctor.Level, what, value, why, do string) {
	e.findings = append(e.findings, doctor.Finding{Level: level, What: what, Value: value, Why: why, Do: do})
}

// unknown turns an error into a note, unless it may pass.
func (e *examination) unknown(what string, err error) error {
	if retry.IsTransient(err) {
		return err
	}
	e.add(doctor.LevelNote, what, "could not be told", fmt.Sprintf("The cluster does not say: %v.", err), "Look yourself, or check with an account that may see it.")
	return nil
}

func (e *examination) members(ctx context.Context) error {
	const what = "etcd members"
	limited, cancel := context.WithTimeout(ctx, e.cfg.RequestTimeout)
	defer cancel()
	list, err := e.client.MemberList(limited)
	if err != nil {
		return e.unknown(what, failed(ctx, "list the members", err))
	}
	votes := 0
	for _, m := range list.Members {
		if !m.IsLearner {
			votes++
		}
	}
	value := fmt.Sprintf("%d that vote", votes)
	if n := len(list.Members) - votes; n > 0 {
		value += fmt.Sprintf(", %d that learn", n)
	}
	switch {
	case votes == 1:
		e.add(doctor.LevelWarn, what, value, "When it is down nobody renews; when its disk is lost so are the ticks used, and UIDs come twice.", "Run three members.")
	case votes%2 == 0:
		e.add(doctor.LevelWarn, what, value, fmt.Sprintf("%d of them have to be up: no more may fail than of %d.", votes/2+1, votes-1), "Run an odd number of members.")
	default:
		e.add(doctor.LevelOK, what, value, "", "")
	}
	return nil
}

// assumedQuota is etcd's default; members before 3.6 do not tell theirs.
const assumedQuota = 2 << 30

func (e *examination) status(ctx context.Context) error {
	endpoints := e.client.Endpoints()
	answers := make([]*clientv3.StatusResponse, len(endpoints))
	errs := make([]error, len(endpoints))
	var all sync.WaitGroup
	for i, endpoint := range endpoints {
		all.Go(func() { answers[i], errs[i] = e.Store.status(ctx, endpoint) })
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return worker.Transient(err)
	}
	var versions, bad, ill []string
	var size, used, quota int64
	for i, a := range answers {
		if a == nil {
			ill = append(ill, errs[i].Error())
			continue
		}
		if !slices.Contains(versions, a.Version) {
			versions = append(versions, a.Version)
			if why := faults(a.Version); why != "" {
				bad = append(bad, fmt.Sprintf("In %s %s.", a.Version, why))
			}
		}
		if a.Leader == 0 {
			ill = append(ill, "one knows no leader")
		}
		if a.DbSize > size {
			size, used, quota = a.DbSize, a.DbSizeInUse, a.DbSizeQuota
		}
	}
	slices.Sort(versions)
	const health = "etcd endpoints"
	value := fmt.Sprintf("%d of %d answer", len(endpoints)-len(ill), len(endpoints))
	if len(ill) > 0 {
		e.add(doctor.LevelWarn, health, value, fmt.Sprintf("Of the others: %s.", strings.Join(ill, "; ")), "Bring them back: a majority has to be up.")
	} else {
		e.add(doctor.LevelOK, health, value, "", "")
	}
	if len(versions) == 0 {
		return nil
	}
	const version = "etcd versions"
	switch {
	case len(bad) > 0:
		e.add(doctor.LevelError, version, strings.Join(versions, ", "), strings.Join(bad, " ")+" UIDs could come twice.", "Upgrade.")
	default:
		e.add(doctor.LevelOK, version, strings.Join(versions, ", "), "", "")
	}
	e.size(size, used, quota)
	return nil
}

// size judges the largest member's database.
func (e *examination) size(size, used, quota int64) {
	const what = "etcd database"
	value := fmt.Sprintf("%d MB, of which %d MB are in use", size>>20, used>>20)
	if quota > 0 {
		value += fmt.Sprintf("; quota %d MB", quota>>20)
	} else {
		quota = assumedQuota
		value += "; quota not told"
	}
	const full = "At its quota (2 GB by default) the cluster refuses all writes: no lease is renewed."
	switch {
	case used > quota/2:
		e.add(doctor.LevelWarn, what, value, full, "Keep less history (--auto-compaction-retention), or raise --quota-backend-bytes.")
	case size > quota/2:
		e.add(doctor.LevelWarn, what, value, full+" What is free inside counts, too.", "Defragment the members, one after another.")
	default:
		e.add(doctor.LevelOK, what, value, "", "")
	}
}

func (e *examination) alarms(ctx context.Context) error {
	const what = "etcd alarms"
	limited, cancel := context.WithTimeout(ctx, e.cfg.RequestTimeout)
	defer cancel()
	list, err := e.client.AlarmList(limited)
	if err != nil {
		return e.unknown(what, failed(ctx, "list the alarms", err))
	}
	var names []string
	for _, a := range list.Alarms {
		if a.Alarm != etcdserverpb.AlarmType_NONE {
			names = append(names, a.Alarm.String())
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) > 0 {
		e.add(doctor.LevelError, what, strings.Join(names, ", "), "NOSPACE: the cluster refuses all writes, and no lease is renewed. CORRUPT: members differ.",
			"NOSPACE: compact, defragment, etcdctl alarm disarm. CORRUPT: replace the member that differs.")
		return nil
	}
	e.add(doctor.LevelOK, what, "none", "", "")
	return nil
}

// muchHistory is how many revisions may be kept: about 400 MB of renewals.
const muchHistory = 1_000_000

// history finds out how many revisions are kept. Each renewal leaves one, until it is compacted.
func (e *examination) history(ctx context.Context) error {
	const what = "etcd history"
	key := e.cfg.Prefix + leasesDir
	r, err := e.get(ctx, "look at the history", clientv3.OpGet(key, clientv3.WithCountOnly()))
	if err != nil {
		return e.unknown(what, err)
	}
	kept := int64(0)
	for back := int64(1000); ; back *= 10 {
		at := max(r.revision-back, 1)
		_, err := e.get(ctx, "look at the history", clientv3.OpGet(key, clientv3.WithCountOnly(), clientv3.WithRev(at)))
		if errors.Is(err, rpctypes.ErrCompacted) {
			break
		}
		if err != nil {
			return e.unknown(what, err)
		}
		if kept = r.revision - at; at == 1 {
			break
		}
	}
	value := fmt.Sprintf("at least %d of %d revisions are kept", kept, r.revision)
	const do = "Set --auto-compaction-mode and --auto-compaction-retention (an hour, say). The store needs no history."
	const why = "Each renewal leaves some 400 bytes until the history is compacted; at the quota the cluster refuses all writes."
	switch {
	case kept >= muchHistory:
		e.add(doctor.LevelWarn, what, value, why, do)
	case r.revision > 1 && kept == r.revision-1:
		e.add(doctor.LevelNote, what, fmt.Sprintf("all %d revisions are kept", r.revision), "Nothing has been compacted yet. "+why, do)
	default:
		e.add(doctor.LevelOK, what, value, "", "")
	}
	return nil
}

// rights asks for a write that never happens: etcd looks at the rights first.
func (e *examination) rights(ctx context.Context) error {
	const what = "etcd rights"
	key := e.cfg.Prefix + leasesDir
	never := clientv3.Compare(clientv3.ModRevision(key), "=", -1)
	_, err := e.request(ctx, "look at the rights", []clientv3.Cmp{never}, []clientv3.Op{clientv3.OpPut(key, "")}, []clientv3.Op{clientv3.OpGet(key)})
	switch {
	case errors.Is(err, rpctypes.ErrPermissionDenied):
		e.add(doctor.LevelNote, what, "this account may not write below "+key, "Workers need it, at least below the key of their namespace.",
			"If workers use this account: etcdctl role grant-permission ROLE --prefix=true readwrite "+e.cfg.Prefix)
		return nil
	case err != nil:
		return e.unknown(what, err)
	}
	e.add(doctor.LevelOK, what, "may write below "+key, "", "")
	return nil
}

func (e *examination) namespaces(ctx context.Context) error {
	const what = "etcd namespaces"
	names, _, err := e.Namespaces(ctx)
	if errors.Is(err, worker.ErrNoNamespace) {
		return nil
	}
	if err != nil {
		return e.unknown(what, err)
	}
	before := len(e.findings)
	for _, name := range names {
		l, err := e.Leases(name)
		if err != nil {
			return e.unknown(what, err)
		}
		r, err := e.get(ctx, "read a namespace", clientv3.OpGet(l.keys.namespace))
		if err != nil {
			return e.unknown(what, err)
		}
		n, err := l.space(r, 0)
		if err == nil {
			err = l.fits(r, n)
		}
		switch {
		case err != nil:
			e.add(doctor.LevelError, what, fmt.Sprintf("%q cannot be used", name), fmt.Sprintf("%v.", err), "Look into it before anybody starts again.")
		case n.Fresh:
			e.add(doctor.LevelWarn, what, fmt.Sprintf("%q has rows, and no key of its own", name), "It was removed, or never made: nobody gets an ID.", "Run uid worker init with a --rest.")
		}
	}
	if len(e.findings) == before {
		e.add(doctor.LevelOK, what, fmt.Sprintf("%d, all of this cluster and with a ClockError of %v", len(names), e.cfg.ClockError), "", "")
	}
	return nil
}

func (e *examination) segments(ctx context.Context) error {
	const what = "etcd segments"
	s := e.Segments()
	rows, bad := 0, 0
	var first error
	err := s.each(ctx, "", math.MaxInt, func(tag string, is record, cluster uint64) error {
		rows++
		v, err := decodeSegment(tag, is)
		if err == nil {
			err = v.fits(is.key, cluster)
		}
		if err != nil {
			bad, first = bad+1, cmp.Or(first, err)
		}
		return nil
	})
	switch {
	case err != nil:
		return e.unknown(what, err)
	case bad > 0:
		e.add(doctor.LevelError, what, fmt.Sprintf("%d of %d cannot be used", bad, rows), fmt.Sprintf("The first: %v.", first), "Look into it before anybody draws their numbers again.")
	case rows > 0:
		e.add(doctor.LevelOK, what, fmt.Sprintf("%d, all of this cluster", rows), "", "")
	}
	return nil
}
