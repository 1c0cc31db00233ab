package cluster

import (
	"context"
	"slices"
	"strings"
)

// An Etcd is a cluster of etcd.
type Etcd struct {
	Nodes // whose ports 1 are for the other nodes, and 2 for their health
}

// StartEtcd starts a cluster of etcd with so many nodes, and more arguments for each. With
// --cert-file among them clients have to use TLS. It returns when all of them know the leader.
func StartEtcd(name string, nodes int, args ...string) (*Etcd, error) {
	path, err := Find("etcd-server", "etcd")
	if err != nil {
		return nil, err
	}
	all, err := newNodes(name, nodes, 3)
	if err != nil {
		return nil, err
	}
	c := &Etcd{all}
	var members []string
	for _, s := range all {
		members = append(members, s.Name()+"=http://"+s.Addr(1))
	}
	scheme := "http://"
	if slices.Contains(args, "--cert-file") {
		scheme = "https://"
	}
	programs := map[*Server]Program{}
	for _, s := range all {
		p := Program{
			Path: path,
			Args: []string{
				"--name", s.Name(), "--data-dir", s.Path("data"), "--logger", "zap", "--log-level", "warn",
				"--listen-client-urls", scheme + s.Addr(0), "--advertise-client-urls", scheme + s.Addr(0),
				"--listen-peer-urls", "http://" + s.Addr(1), "--initial-advertise-peer-urls", "http://" + s.Addr(1),
				"--initial-cluster", strings.Join(members, ","), "--initial-cluster-state", "new",
				"--initial-cluster-token", name,
				"--listen-metrics-urls", "http://" + s.Addr(2),
			},
			// It can answer a linearizable read.
			Ready: func(ctx context.Context) error { return Answers(ctx, s.Addr(2), "/health", `"health":"true"`) },
		}
		p.Args = append(p.Args, args...)
		programs[s] = p
	}
	return orClosed(c, StartAll(programs))
}
