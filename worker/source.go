package worker

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/workerid"
)

// A Source returns a worker ID from 0 to maxWorkerID, the layout's maximum, that no other process has. It is
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
