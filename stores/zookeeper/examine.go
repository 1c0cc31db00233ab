package zookeeper

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-zookeeper/zk"

	"github.com/uidgen/uid/worker/doctor"
)

var _ doctor.Examiner = (*Store)(nil)

const (
	// juteMaxBuffer is the default of the setting jute.maxbuffer, the longest message that servers
	// and clients in Java accept.
	juteMaxBuffer = 0xfffff
	configPath    = "/zookeeper/config"
)

// Examine implements [doctor.Examiner]. It needs the right to read. It sees what a client sees:
// the number of servers, who may write to the nodes, and how long the lists of rows are. How the
// servers sync to their disks no client can see.
func (s *Store) Examine(ctx context.Context, _ doctor.Config) (findings []doctor.Finding, err error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	var config node
	var all names
	if err := together(ctx, s.get(configPath, &config), s.children(s.root, &all)); err != nil {
		return nil, err
	}
	if all.err != nil {
		return nil, all.err
	}
	findings = append(findings, servers(config), doctor.Finding{
		Level: doctor.LevelNote, What: "synced writes", Value: "not known: servers do not tell clients",
		Why: "With forceSync=no, or on disks that lie, a majority of servers that crash together forgets writes, and UIDs can come twice.",
		Do:  "See that no server is started with zookeeper.forceSync=no.",
	})
	paths := []string{s.root}
	for _, name := range all.names {
		if _, ours := unescape(name); ours {
			paths = append(paths, s.root+"/"+name)
		}
	}
	rights := paths
	if slices.Contains(all.names, segmentsName) {
		rights = append(slices.Clone(paths), s.root+"/"+segmentsName)
	}
	open, err := s.open(ctx, rights)
	if err != nil {
		return nil, err
	}
	long, err := s.longest(ctx, paths[1:])
	if err != nil {
		return nil, err
	}
	return append(findings, open, long), nil
}

// servers judges what the ensemble says of its members.
func servers(config node) doctor.Finding {
	f := doctor.Finding{Level: doctor.LevelOK, What: "servers of the ensemble"}
	n := 0
	for line := range strings.Lines(string(config.data)) {
		if strings.HasPrefix(line, "server.") && !strings.Contains(line, ":observer") {
			n++
		}
	}
	f.Value = fmt.Sprintf("%d with a vote", n)
	switch {
	case config.err != nil || !config.found:
		f.Level, f.Value = doctor.LevelNote, "not known"
		f.Why = "A single server that is lost loses the leases, and UIDs can come twice."
		f.Do = "Run three servers or five; allow everybody to read " + configPath + "."
	case n <= 1:
		f.Level = doctor.LevelWarn
		f.Value = "one"
		f.Why = "When its disk is lost the leases are, and UIDs can come twice. While it is down nobody starts."
		f.Do = "Run three servers or five."
	case n == 2:
		f.Level = doctor.LevelNote
		f.Why = "Both have to be up: two servers are down more often than one."
		f.Do = "Run three servers or five."
	}
	return f
}

// open judges who may write to nodes.
func (s *Store) open(ctx context.Context, paths []string) (doctor.Finding, error) {
	f := doctor.Finding{Level: doctor.LevelOK, What: "rights on the nodes"}
	open, unknown, first := 0, 0, ""
	acls, errs := make([][]zk.ACL, len(paths)), make([]error, len(paths))
	var requests []func()
	for i, path := range paths {
		requests = append(requests, func() { acls[i], _, errs[i] = s.conn.GetACL(path) })
	}
	if err := together(ctx, requests...); err != nil {
		return f, err
	}
	for i, path := range paths {
		switch errs[i] {
		case nil:
			if worldWrites(acls[i]) {
				open, first = open+1, cmp.Or(first, path)
			}
		case zk.ErrNoNode:
		case zk.ErrNoAuth:
			unknown++
		default:
			return f, failure("read the ACL of", path, errs[i])
		}
	}
	f.Value = fmt.Sprintf("none of %d is open to everybody", len(paths)-unknown)
	if unknown > 0 {
		f.Level, f.Value = doctor.LevelNote, fmt.Sprintf("%s, those of %d may not be seen", f.Value, unknown)
		f.Why, f.Do = "Whoever may change the nodes can make UIDs come twice.", "Run the check with the right to read."
	}
	if open > 0 {
		f.Level, f.Value = doctor.LevelWarn, fmt.Sprintf("everybody may change %d of %d, such as %s", open, len(paths), first)
		f.Why = "Whoever reaches the ensemble can delete the nodes that keep UIDs from coming twice."
		f.Do = "Give workers an account (addauth digest) and the nodes an ACL for it (setAcl -R)."
	}
	return f, nil
}

func worldWrites(acl []zk.ACL) bool {
	for _, a := range acl {
		if a.Scheme == "world" && a.Perms&(zk.PermWrite|zk.PermCreate|zk.PermDelete|zk.PermAdmin) != 0 {
			return true
		}
	}
	return false
}

// longest judges the longest list of rows.
func (s *Store) longest(ctx context.Context, paths []string) (doctor.Finding, error) {
	f := doctor.Finding{Level: doctor.LevelOK, What: "lists of rows"}
	most := 0
	for _, path := range paths {
		var children names
		if err := together(ctx, s.children(path, &children)); err != nil {
			return f, err
		}
		if children.err != nil {
			return f, children.err
		}
		size := 0
		for _, name := range children.names {
			size += 4 + len(name)
		}
		most = max(most, size)
	}
	f.Value = fmt.Sprintf("%d bytes at most", most)
	if most > juteMaxBuffer/2 {
		f.Level = doctor.LevelWarn
		f.Why = fmt.Sprintf("Tools in Java refuse more than jute.maxbuffer, by default %d bytes.", juteMaxBuffer)
		f.Do = "Raise jute.maxbuffer for tools and servers alike."
	}
	return f, nil
}
