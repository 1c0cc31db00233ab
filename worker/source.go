package worker

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/workerid"
)

// A Source returns a worker ID from 0 to maxWorkerID, the layout's maximum, that somebody else has made unique. It is
// called when a generator is made. It must not change an ID to make it fit: a larger one is refused with
// [uid.ErrRange].
//
// Use it with package statefile, or with [FromSource] where there is no place for a file.
type Source func(maxWorkerID int64) (int64, error)

// FixedID returns a source of always the same ID.
func FixedID(id int64) Source {
	return func(maxWorkerID int64) (int64, error) {
		return id, workerid.Within("worker ID", id, maxWorkerID)
	}
}

// EnvID returns a source that reads the ID from an environment variable, a decimal number without a sign. On Kubernetes
// a StatefulSet's downward API can set one from the label apps.kubernetes.io/pod-index. The source fails with
// [uid.ErrConfig] when the variable is unset or no such number.
func EnvID(variable string) Source {
	return func(maxWorkerID int64) (int64, error) {
		text, ok := os.LookupEnv(variable)
		switch {
		case !ok:
			return 0, fmt.Errorf("%w: the environment variable %q of the worker ID is not set", uid.ErrConfig, variable)
		case text == "":
			return 0, fmt.Errorf("%w: the environment variable %q of the worker ID is empty", uid.ErrConfig, variable)
		}
		return parseID(fmt.Sprintf("the environment variable %q", variable), text, maxWorkerID)
	}
}

// OrdinalID returns a source that reads the number behind the last hyphen of a name's first label, as of a
// StatefulSet's pods: 12 for web-12 and for web-12.web.shop.svc.cluster.local. It fails with [uid.ErrConfig] when there
// is none. It cannot tell whether the name belongs to a numbered set (that of a Deployment's pod, or ip-10-0-0-12, can
// end with a number), or whether two sets use the same layout, each with a 12 of its own.
func OrdinalID(name string) Source {
	return func(maxWorkerID int64) (int64, error) {
		first, _, _ := strings.Cut(name, ".")
		digits := first[strings.LastIndexByte(first, '-')+1:]
		if len(digits) == len(first) || !isNumber(digits) {
			return 0, fmt.Errorf("%w: the name %.100q has no ordinal, a number behind a hyphen, at its end",
				uid.ErrConfig, name)
		}
		return parseID(fmt.Sprintf("the ordinal of %.100q", name), digits, maxWorkerID)
	}
}

// HostOrdinalID is [OrdinalID] of the operating system's host name: a pod's name, but with hostNetwork the node's. Use
// [EnvID] then.
func HostOrdinalID() Source {
	return func(maxWorkerID int64) (int64, error) {
		name, err := settings.HostName()
		if err != nil {
			return 0, err
		}
		return OrdinalID(name)(maxWorkerID)
	}
}

// AddressID returns a source that takes the ID from the low bits of this host's IPv4 address, as many as the layout has
// for a worker ID: 22 by default. The address is the only one of the named network interface or, for "", the only
// private one (10/8, 172.16/12, 192.168/16) of all interfaces that are up, loopback excluded. The next host to get the
// address gets the same ID.
//
// It fails with [uid.ErrConfig] when there is no such address or more than one, and with [uid.ErrRange] when the
// network has more hosts than the layout has worker IDs, or the address tells of no network, as many a cloud's /32
// does, or the layout's maximum is not a power of two less one.
func AddressID(networkInterface string) Source {
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

// parseID reads a decimal number. Errors repeat the text only if it is a number: anything else
// may be a secret in the wrong place.
func parseID(what, text string, maxWorkerID int64) (int64, error) {
	if !isNumber(text) {
		return 0, fmt.Errorf("%w: %s is no worker ID: its %d bytes are not a decimal number from 0 to %d",
			uid.ErrConfig, what, len(text), maxWorkerID)
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: %s is a number of %d digits, the layout's largest worker ID is %d",
			uid.ErrRange, what, len(text), maxWorkerID)
	}
	return id, workerid.Within(what+":", id, maxWorkerID)
}

// isNumber reports whether text is made of ASCII digits.
func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
