package fake

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// parse reads the Lease that is sent, as far as it can be one.
func (r request) parse() (*Lease, *answer) {
	if len(r.body) > maxBody {
		return nil, failed(413, "RequestEntityTooLarge", nil, "Request entity too large: limit is %d", maxBody)
	}
	var l Lease
	if err := json.Unmarshal(r.body, &struct{}{}); err != nil {
		return nil, badRequest("the object provided is unrecognized (must be of type Lease): couldn't get version/kind"+
			"; json parse error: %v", err)
	}
	if err := json.Unmarshal(r.body, &l); err != nil {
		return nil, badRequest(`Lease in version "v1" cannot be handled as a Lease: %v`, err)
	}
	if l.Kind != "" && l.Kind != "Lease" || l.APIVersion != "" && l.APIVersion != apiVersion {
		return nil, badRequest("%s in version %q cannot be handled as a Lease", l.Kind, l.APIVersion)
	}
	switch {
	case r.name == "" || l.Meta.Name == r.name:
	case l.Meta.Name == "":
		return nil, badRequest("the name of the object (%s based on URL) was undeterminable: name must be provided",
			r.name)
	default:
		return nil, badRequest("the name of the object (%s) does not match the name on the URL (%s)", l.Meta.Name,
			r.name)
	}
	if l.Meta.Namespace != "" && l.Meta.Namespace != r.namespace {
		return nil, badRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	l.Kind, l.APIVersion, l.Meta.Namespace = "Lease", apiVersion, r.namespace
	return &l, nil
}

// A rule is what a text has to be.
type rule struct {
	pattern *regexp.Regexp
	longest int
	says    string
}

var (
	subdomain = rule{regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`), 253,
		"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must " +
			"start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
			`'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`}
	labelValue = rule{regexp.MustCompile(`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`), 63,
		"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must " +
			"start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used " +
			"for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"}
	qualified = rule{regexp.MustCompile(`^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$`), 63,
		"name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
			"alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
			"'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"}
)

// wrong says what of a value is not as the rule says.
func (u rule) wrong(value, part string) (all []string) {
	if len(value) > u.longest {
		all = append(all, fmt.Sprintf("%smust be no more than %d characters", part, u.longest))
	}
	if !u.pattern.MatchString(value) {
		all = append(all, u.says)
	}
	return all
}

// wrongKey says what of a label's or an annotation's key is not as it must be.
func wrongKey(key string) (all []string) {
	name := key
	if prefix, rest, is := strings.Cut(key, "/"); is {
		for _, w := range subdomain.wrong(prefix, "") {
			all = append(all, "prefix part "+w)
		}
		name = rest
	}
	return append(all, qualified.wrong(name, "name part ")...)
}

// check returns what of the Lease is not as it must be.
func (l *Lease) check() (all []cause) {
	add := func(field, reason, message string) { all = append(all, cause{reason, message, field}) }
	bad := func(field string, value any, why ...string) {
		for _, w := range why {
			add(field, "FieldValueInvalid", fmt.Sprintf("Invalid value: %s: %s", text(value), w))
		}
	}
	if l.Meta.Name == "" {
		add("metadata.name", "FieldValueRequired", "Required value: name or generateName is required")
	} else {
		bad("metadata.name", l.Meta.Name, subdomain.wrong(l.Meta.Name, "")...)
	}
	for _, key := range slices.Sorted(maps.Keys(l.Meta.Labels)) {
		bad("metadata.labels", key, wrongKey(key)...)
		bad("metadata.labels", l.Meta.Labels[key], labelValue.wrong(l.Meta.Labels[key], "")...)
	}
	size := 0
	for _, key := range slices.Sorted(maps.Keys(l.Meta.Annotations)) {
		bad("metadata.annotations", key, wrongKey(strings.ToLower(key))...)
		size += len(key) + len(l.Meta.Annotations[key])
	}
	if size > 1<<18 {
		add("metadata.annotations", "FieldValueTooLong", "Too long: may not be more than 262144 bytes")
	}
	if s := l.Spec.LeaseDurationSeconds; s != nil && *s <= 0 {
		bad("spec.leaseDurationSeconds", *s, "must be greater than 0")
	}
	if n := l.Spec.LeaseTransitions; n != nil && *n < 0 {
		bad("spec.leaseTransitions", *n, "must be greater than or equal to 0")
	}
	return all
}

func text(value any) string {
	t, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(t)
}

// manage writes who has set which fields.
func (l *Lease) manage(r request) {
	type set map[string]any
	in := func(fields map[string]string) set {
		all := set{".": set{}}
		for key := range fields {
			all["f:"+key] = set{}
		}
		return all
	}
	fields, meta := set{}, set{}
	if len(l.Meta.Annotations) > 0 {
		meta["f:annotations"] = in(l.Meta.Annotations)
	}
	if len(l.Meta.Labels) > 0 {
		meta["f:labels"] = in(l.Meta.Labels)
	}
	if len(meta) > 0 {
		fields["f:metadata"] = meta
	}
	var spec map[string]any
	if err := json.Unmarshal([]byte(text(l.Spec)), &spec); err != nil {
		panic(err)
	}
	if len(spec) > 0 {
		all := set{}
		for key := range spec {
			all["f:"+key] = set{}
		}
		fields["f:spec"] = all
	}
	l.Meta.ManagedFields = nil
	if len(fields) > 0 {
		l.Meta.ManagedFields = json.RawMessage(text([]set{{"manager": r.manager, "operation": "Update",
			"apiVersion": apiVersion, "time": r.now.Format(time.RFC3339), "fieldsType": "FieldsV1", "fieldsV1": fields,
		}}))
	}
}
