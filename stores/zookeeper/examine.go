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

// Examine implements [doctor.Examiner]. It needs the right to read. It sees what a client sees: the number of servers,
// who may write to the nodes, and how long the lists of rows are. No client sees how the servers sync their disks.
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
	open, err := d.open(ctx, paths)
	if err != nil {
		return nil, err
	}
	long, err := d.longest(ctx, paths[1:])
	if err != nil {
		return nil, err
	}
	synced := row{true, note, "synced writes", "not known: servers do not tell clients",
		"With forceSync=no, or on disks that lie, a majority of servers that crash together forgets writes, and UIDs " +
			"can come twice.",
		"See that no server is started with zookeeper.forceSync=no."}
	return doctor.Judge(slices.Concat(servers(config), []row{synced}, open, long)...), nil
}

const ok, note, warn = doctor.LevelOK, doctor.LevelNote, doctor.LevelWarn

// A row is one of package doctor's.
type row doctor.Row

// servers judges what the ensemble says of its members.
func servers(config node) []row {
	n := 0
	for line := range strings.Lines(config.data) {
		if strings.HasPrefix(line, "server.") && !strings.Contains(line, ":observer") {
			n++
		}
	}
	const what, run = "servers of the ensemble", "Run three servers or five"
	value := fmt.Sprintf("%d with a vote", n)
	return []row{
		{config.err != nil || !config.found, note, what, "not known",
			"A single server that is lost loses the leases, and UIDs can come twice.",
			run + "; allow everybody to read " + configPath + "."},
		{n <= 1, warn, what, "one", "When its disk is lost the leases are, and UIDs can come twice. While it is down " +
			"nobody starts.", run + "."},
		{n == 2, note, what, value, "Both have to be up: two servers are down more often than one.", run + "."},
		{true, ok, what, value, "", ""},
	}
}

// open judges who may write to nodes.
func (d *driver) open(ctx context.Context, paths []string) ([]row, error) {
	open, unknown, first := 0, 0, ""
	acls, errs := make([][]zk.ACL, len(paths)), make([]error, len(paths))
	var requests []func()
	for i, path := range paths {
		requests = append(requests, func() { acls[i], _, errs[i] = d.conn.GetACL(path) })
	}
	if err := together(ctx, requests...); err != nil {
		return nil, err
	}
	for i, path := range paths {
		switch errs[i] {
		case nil:
			if slices.ContainsFunc(acls[i], worldWrites) {
				open, first = open+1, cmp.Or(first, path)
			}
		case zk.ErrNoNode:
		case zk.ErrNoAuth:
			unknown++
		default:
			return nil, failure("read the ACL of", path, errs[i])
		}
	}
	const what = "rights on the nodes"
	value := fmt.Sprintf("none of %d is open to everybody", len(paths)-unknown)
	return []row{
		{open > 0, warn, what, fmt.Sprintf("everybody may change %d of %d, such as %s", open, len(paths), first),
			"Whoever reaches the ensemble can delete the nodes that keep UIDs from coming twice.",
			"Give workers an account (addauth digest) and the nodes an ACL for it (setAcl -R)."},
		{unknown > 0, note, what, fmt.Sprintf("%s, those of %d may not be seen", value, unknown),
			"Whoever may change the nodes can make UIDs come twice.", "Run the check with the right to read."},
		{true, ok, what, value, "", ""},
	}, nil
}

func worldWrites(a zk.ACL) bool {
	return a.Scheme == "world" && a.Perms&(zk.PermWrite|zk.PermCreate|zk.PermDelete|zk.PermAdmin) != 0
}

// longest judges the longest list of rows.
func (d *driver) longest(ctx context.Context, paths []string) ([]row, error) {
	most := 0
	for _, path := range slices.DeleteFunc(paths, isSegments) {
		names, err := d.children(ctx, path)
		if err != nil {
			return nil, err
		}
		size := 0
		for _, name := range names {
			size += 4 + len(name)
		}
		most = max(most, size)
	}
	const what = "lists of rows"
	value := fmt.Sprintf("%d bytes at most", most)
	return []row{
		{most > juteMaxBuffer/2, warn, what, value, fmt.Sprintf("Tools in Java refuse more than jute.maxbuffer, by "+
			"default %d bytes.", juteMaxBuffer),
			"Raise jute.maxbuffer for tools and servers alike."},
		{true, ok, what, value, "", ""},
	}, nil
}

func isSegments(path string) bool { return strings.HasSuffix(path, "/"+segmentsName) }
