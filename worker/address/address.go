// Package address takes worker IDs from the addresses of hosts. It stands apart since it links package net, and by that
// the system's C library.
package address

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
)

// ID returns a source that takes the ID from the low bits of this host's IPv4 address, as many as the layout has
// for a worker ID: 22 by default. The address is the only one of the named network interface or, for "", the only
// private one (10/8, 172.16/12, 192.168/16) of all interfaces that are up, loopback excluded. The next host to get the
// address gets the same ID.
//
// It fails with [uid.ErrConfig] when there is no such address or more than one, and with [uid.ErrRange] when the
// network has more hosts than the layout has worker IDs, or the address tells of no network, as many a cloud's /32
// does, or the layout's maximum is not a power of two less one.
func ID(networkInterface string) worker.Source {
	return func(maxWorkerID int64) (int64, error) {
		all, err := hostAddresses()
		if err != nil {
			return 0, fmt.Errorf("%w: the network interfaces cannot be listed: %w", uid.ErrConfig, err)
		}
		return addressID(networkInterface, all, maxWorkerID)
	}
}

// A hostAddress is an IPv4 address of this host, with its network.
type hostAddress struct {
	networkInterface string
	netip.Prefix
}

func (a hostAddress) String() string { return fmt.Sprintf("%s (%s)", a.Prefix, a.networkInterface) }

func hostAddresses() ([]hostAddress, error) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	var all []hostAddress
	for _, i := range interfaces {
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		addrs, err := i.Addrs()
		if err != nil {
			return nil, err
		}
		for _, a := range addrs {
			if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is4() {
				all = append(all, hostAddress{i.Name, p})
			}
		}
	}
	return all, nil
}

func addressID(networkInterface string, all []hostAddress, maxWorkerID int64) (int64, error) {
	var found []hostAddress
	what := "private IPv4 address"
	if networkInterface != "" {
		what = fmt.Sprintf("IPv4 address of the interface %q", networkInterface)
	}
	for _, a := range all {
		if a.networkInterface == networkInterface || networkInterface == "" && a.Addr().IsPrivate() {
			found = append(found, a)
		}
	}
	switch {
	case len(found) == 0:
		return 0, fmt.Errorf("%w: there is no %s; the host has %s", uid.ErrConfig, what, list(all))
	case len(found) > 1 && networkInterface == "":
		return 0, fmt.Errorf("%w: there is more than one %s, so that the interface has to be named: %s",
			uid.ErrConfig, what, list(found))
	case len(found) > 1:
		return 0, fmt.Errorf("%w: there is more than one %s: %s", uid.ErrConfig, what, list(found))
	case maxWorkerID&(maxWorkerID+1) != 0:
		return 0, fmt.Errorf("%w: the maximum worker ID %d is not a power of two less one, "+
			"so that no number of bits of an address makes one", uid.ErrRange, maxWorkerID)
	}
	if found[0].Bits() > 30 {
		return 0, fmt.Errorf("%w: %s has the whole address but %d bits as its network's, "+
			"which does not tell how many hosts there are", uid.ErrRange, found[0], 32-found[0].Bits())
	}
	if hosts := int64(1) << (32 - found[0].Bits()); hosts-1 > maxWorkerID {
		return 0, fmt.Errorf("%w: the network of %s has %d addresses, the layout only %d worker IDs: "+
			"two hosts could get the same", uid.ErrRange, found[0], hosts, maxWorkerID+1)
	}
	ip := found[0].Addr().As4()
	return (int64(ip[0])<<24 | int64(ip[1])<<16 | int64(ip[2])<<8 | int64(ip[3])) & maxWorkerID, nil
}

func list(addresses []hostAddress) string {
	var texts []string
	for _, a := range addresses {
		texts = append(texts, a.String())
	}
	return cmp.Or(strings.Join(texts, ", "), "none")
}
