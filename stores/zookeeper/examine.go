package zookeeper

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/internal/doctor"
)

var _ doctor.Examiner = (*driver)(nil)

const (
	// juteMaxBuffer is the default of the setting jute.maxbuffer, the longest message that servers
	// and clients in Java accept.
	juteMaxBuffer = 0xfffff
	configPath    = "/zookeeper/config"
)

// Examine implements [doctor.Examiner]: the number of servers, the rights on the nodes, and the longest list of rows.
// It needs the right to read. No client sees how the servers sync their disks.
func (d *driver) Examine(ctx context.Context, _ doctor.Config) ([]doctor.Finding, error) {
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	var config node
	if err := together(ctx, d.get(configPath, &config)); err != nil {
		return nil, err
	}
	names, err := d.children(ctx, d.root)
	if err != nil {
		return nil, err
	}
	paths := []string{d.root}
	for _, name := range names {
		if _, ours := unescape(name); ours || name == segmentsName {
			paths = append(paths, d.root+"/"+name)
		}
	}
	rights, err := d.rights(ctx, paths)
	if err != nil {
		return nil, err
	}
	lists, err := d.lists(ctx, paths[1:])
	return append(ensemble(config), rights, lists), err
}

const note, warn = doctor.LevelNote, doctor.LevelWarn

// ensemble judges the members, by the servers' configuration.
func ensemble(config node) []doctor.Finding {
	n := 0
	for line := range strings.Lines(config.data) {
		if strings.HasPrefix(line, "server.") && !strings.Contains(line, ":observer") {
			n++
		}
	}
	const run = "Run three servers or five"
	return []doctor.Finding{
		doctor.Fine("servers of the ensemble", fmt.Sprintf("%d with a vote", n)).
			But(config.err != nil || !config.found, note, "not known", "The loss of a single server's disk "+
				"loses the leases, and UIDs can come twice.", run+"; allow everybody to read "+configPath+".").
			But(n <= 1, warn, "one", "If its disk is lost so are the leases, and UIDs can come twice. While it is "+
				"down no worker starts.", run+".").
			But(n == 2, note, "", "Both have to be up: two servers are down more often than one.", run+"."),
		{Level: note, What: "synced writes", Value: "not known: servers do not tell clients",
			Why: "With forceSync=no, or on disks that acknowledge writes too early, a majority of servers that crash " +
				"together loses writes, and UIDs can come twice.", Do: "Start no server with zookeeper.forceSync=no."},
	}
}

// rights judges whether everybody may write to the nodes.
func (d *driver) rights(ctx context.Context, paths []string) (f doctor.Finding, err error) {
	first, open, unknown := "", 0, 0
	acls, errs := make([][]zk.ACL, len(paths)), make([]error, len(paths))
	var requests []func()
	for i, path := range paths {
		requests = append(requests, func() { acls[i], _, errs[i] = d.conn.GetACL(path) })
	}
	if err := together(ctx, requests...); err != nil {
		return f, err
	}
	for i, path := range paths {
		switch errs[i] {
		case nil:
			if slices.ContainsFunc(acls[i], worldWrites) {
				first = cmp.Or(first, path)
				open++
			}
		case zk.ErrNoNode:
		case zk.ErrNoAuth:
			unknown++
		default:
			return f, failure("read the ACL of", path, errs[i])
		}
	}
	value := fmt.Sprintf("none of %d is open to everybody", len(paths)-unknown)
	return doctor.Fine("rights on the nodes", value).
		But(open > 0, warn, fmt.Sprintf("everybody may change %d of %d, such as %s", open, len(paths), first),
			"Any client can delete the nodes that keep UIDs from coming twice.",
			"Give workers an account (addauth digest) and the nodes an ACL for it (setAcl -R).").
		But(unknown > 0, note, fmt.Sprintf("%s, those of %d are not readable", value, unknown),
			"An account that changes the nodes can make UIDs come twice.", "Run the check with the right to read."), nil
}

func worldWrites(a zk.ACL) bool {
	return a.Scheme == "world" && a.Perms&(zk.PermWrite|zk.PermCreate|zk.PermDelete|zk.PermAdmin) != 0
}

// lists judges the longest list of rows.
func (d *driver) lists(ctx context.Context, paths []string) (f doctor.Finding, err error) {
	most := 0
	for _, path := range slices.DeleteFunc(paths, isSegments) {
		names, err := d.children(ctx, path)
		if err != nil {
			return f, err
		}
		size := 0
		for _, name := range names {
			size += 4 + len(name)
		}
		most = max(most, size)
	}
	value := fmt.Sprintf("%d bytes at most", most)
	return doctor.Fine("lists of rows", value).
		But(most > juteMaxBuffer/2, warn, "", fmt.Sprintf("Tools in Java refuse more than jute.maxbuffer, by "+
			"default %d bytes.", juteMaxBuffer), "Raise jute.maxbuffer for tools and servers alike."), nil
}

func isSegments(path string) bool { return strings.HasSuffix(path, "/"+segmentsName) }
