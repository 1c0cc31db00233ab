package kubernetes

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/retry"
)

// Examine implements [doctor.Examiner]: this account's rights, and what nobody can see. It asks for writes that cannot
// be done, of an object without a name, and of one that was never made: the API server looks at the rights first.
func (d *driver) Examine(ctx context.Context, _ doctor.Config) (findings []doctor.Finding, err error) {
	never := &object{APIVersion: "coordination.k8s.io/v1", Kind: "Lease", Meta: meta{UID: "none", Revision: "1"}}
	named := *never
	named.Meta.Name = "uid-nobody.none"
	var lacks []string
	for _, try := range []struct {
		verb, method, path string
		sent               any
	}{
		{"get", http.MethodGet, "/" + named.Meta.Name, nil}, {"list", http.MethodGet, "", nil},
		{"create", http.MethodPost, "", never}, {"update", http.MethodPut, "/" + named.Meta.Name, &named},
	} {
		_, err := d.ask(ctx, try.method, try.path, nil, try.sent, &struct{}{})
		switch {
		case retry.IsTransient(err):
			return nil, err
		case errors.Is(err, uid.ErrConfig):
			lacks = append(lacks, try.verb)
		}
	}
	return []doctor.Finding{
		doctor.Fine("Kubernetes rights", "may get, list, create and update leases").
			But(len(lacks) > 0, doctor.LevelError, "may not "+strings.Join(lacks, ", ")+" leases", "Workers need these verbs.",
				"Add them to the rule of the account's Role for the resource leases of coordination.k8s.io."),
		{Level: doctor.LevelNote, What: "Kubernetes etcd", Value: "could not be told", Why: "The API server does not say " +
			"how its etcd is run: if it can lose acknowledged writes, or was put back to a snapshot, UIDs could come twice.",
			Do: "Ask who runs the cluster. After a restore see package stores/kubernetes."},
	}, nil
}
