package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker"
)

// Inspect implements [stores.Inspector]. It asks one member for its version: some versions have lost acknowledged
// writes. If the member refuses that there is no finding: the others would refuse it, too. It uses the connection that
// is there, while the client's Status would dial another one.
func (d *driver) Inspect(ctx context.Context, _ string) (lossy []string, err error) {
	is, err := ask(ctx, d, "ask for the status", func(ctx context.Context) (*pb.StatusResponse, error) {
		return pb.NewMaintenanceClient(d.client.ActiveConnection()).Status(ctx, &pb.StatusRequest{})
	})
	if err == nil && knownFault(is.Version) != "" {
		lossy = append(lossy, fmt.Sprintf("etcd %s has a known fault: %s", is.Version, knownFault(is.Version)))
	}
	if retry.IsTransient(err) {
		return nil, err
	}
	return lossy, nil
}

// knownFault returns the fault by which a version of etcd can lose acknowledged writes, or have members that differ;
// "" if none is known.
func knownFault(version string) string {
	var major, minor, patch int
	_, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch)
	switch {
	case err != nil || major != 3:
	case minor < 4 || minor == 4 && patch < 22:
		return "a cluster of one can lose acknowledged writes, and members can differ (fixed in 3.4.22)"
	case minor == 5 && patch < 6:
		return "members can differ after a crash (fixed in 3.5.6)"
	}
	return ""
}

// Examine implements [doctor.Examiner]: the members and their versions, alarms, the size of the database, how much
// history is kept, and this account's rights. It does not see --unsafe-no-fsync.
func (d *driver) Examine(ctx context.Context, _ doctor.Config) (findings []doctor.Finding, err error) {
	for _, step := range []struct {
		what string
		do   func(ctx context.Context, what string) ([]doctor.Finding, error)
	}{
		{"etcd members", d.members}, {"etcd endpoints", d.endpoints}, {"etcd alarms", d.alarms},
		{"etcd history", d.history}, {"etcd rights", d.rights},
	} {
		found, err := step.do(ctx, step.what)
		if err != nil {
			if found, err = doctor.Unknown(step.what, err); err != nil {
				return nil, err
			}
		}
		findings = append(findings, found...)
	}
	return append(findings, doctor.Finding{Level: note, What: "etcd disks", Value: "could not be told",
		Why: "No member tells whether it runs with --unsafe-no-fsync: then a crash can lose acknowledged writes, and " +
			"UIDs could come twice.", Do: "Check the members' command lines."}), nil
}

const note, warn, bad = doctor.LevelNote, doctor.LevelWarn, doctor.LevelError

func (d *driver) members(ctx context.Context, what string) ([]doctor.Finding, error) {
	list, err := ask(ctx, d, "list the members", func(ctx context.Context) (*clientv3.MemberListResponse, error) {
		return d.client.MemberList(ctx)
	})
	if err != nil {
		return nil, err
	}
	votes := 0
	for _, m := range list.Members {
		if !m.IsLearner {
			votes++
		}
	}
	value := fmt.Sprintf("%d that vote, %d that learn", votes, len(list.Members)-votes)
	return []doctor.Finding{doctor.Fine(what, value).
		But(votes == 1, warn, "", "While it is down no lease is renewed; if its disk is lost so are the ticks used, "+
			"and UIDs come twice.", "Run three members.").
		But(votes%2 == 0, warn, "", fmt.Sprintf("%d of them have to be up: no more may fail than of %d.", votes/2+1,
			votes-1), "Run an odd number of members.")}, nil
}

// endpoints judges which members answer, their versions, and the largest database.
func (d *driver) endpoints(ctx context.Context, what string) (findings []doctor.Finding, err error) {
	var versions, faulty, ill []string
	largest := &clientv3.StatusResponse{}
	all := d.client.Endpoints()
	for _, endpoint := range all {
		a, err := ask(ctx, d, "ask for the status", func(ctx context.Context) (*clientv3.StatusResponse, error) {
			return d.client.Status(ctx, endpoint)
		})
		switch {
		case ctx.Err() != nil:
			return nil, worker.Transient(ctx.Err())
		case err != nil && !retry.IsTransient(err):
			return nil, err // it is up, and the others would refuse it, too
		case err != nil:
			ill = append(ill, err.Error())
			continue
		case a.Leader == 0:
			ill = append(ill, "one knows no leader")
		}
		versions = append(versions, a.Version)
		if why := knownFault(a.Version); why != "" {
			faulty = append(faulty, fmt.Sprintf("In %s %s.", a.Version, why))
		}
		if a.DbSize > largest.DbSize {
			largest = a
		}
	}
	findings = append(findings, doctor.Fine(what, fmt.Sprintf("%d of %d answer", len(all)-len(ill), len(all))).
		But(len(ill) > 0, warn, "", fmt.Sprintf("Of the others: %s.", strings.Join(ill, "; ")),
			"Bring them back: a majority has to be up."))
	if len(versions) == 0 {
		return findings, nil
	}
	slices.Sort(versions)
	return append(findings, doctor.Fine("etcd versions", strings.Join(slices.Compact(versions), ", ")).
		But(len(faulty) > 0, bad, "", strings.Join(slices.Compact(faulty), " ")+" UIDs could come twice.", "Upgrade."),
		size(largest)), nil
}

// size judges how much of its quota a member's database uses: by default 2 GB, which members before 3.6 do not tell.
func size(of *clientv3.StatusResponse) doctor.Finding {
	quota := cmp.Or(of.DbSizeQuota, 2<<30)
	const full = "At its quota (2 GB by default) the cluster refuses all writes: no lease is renewed."
	value := fmt.Sprintf("%d MB, of which %d MB are in use; quota %d MB", of.DbSize>>20, of.DbSizeInUse>>20, quota>>20)
	return doctor.Fine("etcd database", value).
		But(of.DbSizeInUse > quota/2, warn, "", full, "Keep less history (--auto-compaction-retention), or raise "+
			"--quota-backend-bytes.").
		But(of.DbSize > quota/2, warn, "", full+" Free space inside counts, too.", "Defragment the members, one after "+
			"another.")
}

func (d *driver) alarms(ctx context.Context, what string) ([]doctor.Finding, error) {
	list, err := ask(ctx, d, "list the alarms", d.client.AlarmList)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, a := range list.Alarms {
		if a.Alarm != pb.AlarmType_NONE {
			names = append(names, a.Alarm.String())
		}
	}
	slices.Sort(names)
	return []doctor.Finding{doctor.Fine(what, "none").
		But(len(names) > 0, bad, strings.Join(slices.Compact(names), ", "), "NOSPACE: the cluster refuses all writes, "+
			"and no lease is renewed. CORRUPT: members differ.", "NOSPACE: compact, defragment, etcdctl alarm disarm. "+
			"CORRUPT: replace the member that differs.")}, nil
}

// muchHistory is how many revisions may be kept: about 400 MB of renewals.
const muchHistory = 1_000_000

// history finds out how many revisions are kept. Each renewal leaves one, until it is compacted.
func (d *driver) history(ctx context.Context, what string) ([]doctor.Finding, error) {
	at := func(revision int64) (int64, error) {
		resp, err := d.request(ctx, "look at the history", nil,
			[]clientv3.Op{clientv3.OpGet(d.cfg.Prefix, clientv3.WithCountOnly(), clientv3.WithRev(revision))}, nil)
		if err != nil {
			return 0, err
		}
		return resp.Header.Revision, nil
	}
	now, err := at(0)
	kept := int64(0)
	for back := int64(1000); err == nil && kept < now-1; back *= 10 {
		if _, err = at(max(now-back, 1)); err == nil {
			kept = now - max(now-back, 1)
		}
	}
	if err != nil && !errors.Is(err, rpctypes.ErrCompacted) {
		return nil, err
	}
	const do = "Set --auto-compaction-mode and --auto-compaction-retention (an hour, say). The store needs no history."
	const why = "Each renewal leaves some 400 bytes until the history is compacted; at the quota the cluster refuses " +
		"all writes."
	return []doctor.Finding{doctor.Fine(what, fmt.Sprintf("at least %d of %d revisions are kept", kept, now)).
		But(kept >= muchHistory, warn, "", why, do).
		But(now > 1 && kept == now-1, note, fmt.Sprintf("all %d revisions are kept", now), "Nothing was compacted "+
			"yet. "+why, do)}, nil
}

// rights asks for a write that never happens: etcd looks at the rights first.
func (d *driver) rights(ctx context.Context, what string) ([]doctor.Finding, error) {
	key := d.cfg.Prefix + "leases/"
	never := clientv3.Compare(clientv3.ModRevision(key), "=", -1)
	_, err := d.request(ctx, "look at the rights", []clientv3.Cmp{never}, []clientv3.Op{clientv3.OpPut(key, "")},
		[]clientv3.Op{clientv3.OpGet(key)})
	denied := errors.Is(err, rpctypes.ErrPermissionDenied)
	if err != nil && !denied {
		return nil, err
	}
	return []doctor.Finding{doctor.Fine(what, "may write below "+key).
		But(denied, note, "this account may not write below "+key, "Workers need it, at least below the key of their "+
			"namespace.", "If workers use this account: etcdctl role grant-permission ROLE --prefix=true readwrite "+
			d.cfg.Prefix)}, nil
}
