package fake

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A selector is what labels have to be.
type selector []func(labels map[string]string) bool

var (
	between   = regexp.MustCompile(`,\s*([^(),]+(?:\([^)]*\))?)`)
	isThere   = regexp.MustCompile(`^(!?)\s*([^\s=!,()]+)$`)
	isEqual   = regexp.MustCompile(`^([^\s=!,()]+)\s*(!?)={1,2}\s*([^\s=!,()]*)$`)
	isOneOf   = regexp.MustCompile(`^([^\s=!,()]+)\s+(not)?in\s+\(([^()]*)\)$`)
	separator = regexp.MustCompile(`\s*,\s*`)
)

func parseSelector(text string) (s selector, err error) {
	if text == "" {
		return nil, nil
	}
	for _, found := range between.FindAllStringSubmatch(","+text, -1) {
		var (
			key    string
			values []string
			not    bool
		)
		term := strings.TrimSpace(found[1])
		if m := isThere.FindStringSubmatch(term); m != nil {
			key, not = m[2], m[1] != ""
		} else if m := isEqual.FindStringSubmatch(term); m != nil {
			key, not, values = m[1], m[2] != "", []string{m[3]}
		} else if m := isOneOf.FindStringSubmatch(term); m != nil {
			key, not, values = m[1], m[2] != "", separator.Split(strings.TrimSpace(m[3]), -1)
		} else {
			return nil, fmt.Errorf("found %q", term)
		}
		for i, v := range values {
			if w := labelValue.wrong(v, ""); len(w) > 0 {
				return nil, fmt.Errorf("values[%d][%s]: Invalid value: %q: %s", i, key, v, w[0])
			}
		}
		s = append(s, func(labels map[string]string) bool {
			v, is := labels[key]
			return not != (is && (values == nil || slices.Contains(values, v)))
		})
	}
	return s, nil
}

func (s selector) matches(labels map[string]string) bool {
	return !slices.ContainsFunc(s, func(holds func(map[string]string) bool) bool { return !holds(labels) })
}
