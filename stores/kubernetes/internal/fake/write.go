package fake

import (
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// write creates or replaces a Lease.
func (s *Server) write(r request) *answer {
	sent, refused := r.parse()
	if refused != nil {
		return refused
	}
	if r.verb == "create" {
		return s.create(r, sent)
	}
	return s.update(r, sent)
}

func (s *Server) create(r request, sent *Lease) *answer {
	r.name = sent.Meta.Name
	if causes := sent.check(); causes != nil {
		return invalid("Lease.coordination.k8s.io", "Lease", r.name, causes)
	}
	if revision, err := strconv.ParseUint(sent.Meta.ResourceVersion, 10, 64); err == nil && revision > 0 {
		return failed(500, "", nil, "resourceVersion should not be set on objects to be created")
	}
	if s.history.at(r.key(), s.revision) != nil {
		return failed(409, "AlreadyExists", on(r.name), "%s %q already exists", resource, r.name)
	}
	s.uids++
	sent.Meta.UID = fmt.Sprintf("5f0c2a84-3d1e-4b7a-9c56-%012x", s.uids)
	sent.Meta.CreationTimestamp = r.now.Format(time.RFC3339)
	sent.manage(r)
	s.put(r.key(), sent)
	return reply(201, sent)
}

// update replaces a Lease, or makes it anew if there is none and no UID is sent: whatever resource version is.
func (s *Server) update(r request, sent *Lease) *answer {
	was := s.history.at(r.key(), s.revision)
	var uid string
	if was != nil {
		uid = was.Meta.UID
	}
	if sent.Meta.UID != "" && sent.Meta.UID != uid {
		return failed(409, "Conflict", on(r.name), conflict+"StorageError: invalid object, Code: 4, Key: "+
			"/registry/leases/%s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: "+
			"%s, UID in object meta: %s", resource, r.name, r.key(), sent.Meta.UID, uid)
	}
	if was == nil {
		sent.Meta.ResourceVersion = ""
		return s.create(r, sent)
	}
	revision := sent.Meta.ResourceVersion
	if revision != "" {
		if _, err := strconv.ParseUint(revision, 10, 64); err != nil {
			return failed(500, "", nil, "%v", parsing("ParseUint", revision))
		}
	}
	switch revision {
	case "", "0":
		return invalid(resource, "leases", r.name, []cause{{
			"FieldValueInvalid", "Invalid value: 0: must be specified for an update", "metadata.resourceVersion",
		}})
	case was.Meta.ResourceVersion:
	default:
		return failed(409, "Conflict", on(r.name), conflict+"the object has been modified; please apply your changes "+
			"to the latest version and try again", resource, r.name)
	}
	if causes := sent.check(); causes != nil {
		return invalid("Lease.coordination.k8s.io", "Lease", r.name, causes)
	}
	sent.Meta.UID, sent.Meta.CreationTimestamp = was.Meta.UID, was.Meta.CreationTimestamp
	sent.Meta.ManagedFields = was.Meta.ManagedFields
	if reflect.DeepEqual(sent.clone(), was.clone()) {
		return reply(200, was) // nothing is written
	}
	sent.manage(r)
	s.put(r.key(), sent)
	return reply(200, sent)
}
