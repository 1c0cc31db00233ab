package main

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A storeURL is the address of a store. Its texts may be secret; no error repeats them.
type storeURL struct {
	engine *engine
	raw    string
	source string // where it was given
	scheme string

	user, password string
	hosts          []string // host:port
	path           string   // without the first /
	params         url.Values
}

// bad is an error about the URL.
func (u *storeURL) bad(why string) error {
	return badInput("the URL of %s %s: it has to be %s", u.source, why, u.engine.form)
}

// parseStoreURL reads scheme://user:password@host:port,host:port/path?parameters. net/url would
// repeat the URL in its errors.
func parseStoreURL(raw, source string) (*storeURL, error) {
	scheme, rest, found := strings.Cut(raw, "://")
	u := &storeURL{raw: raw, source: source, scheme: strings.ToLower(scheme)}
	var known []string
	for _, e := range allEngines() {
		known = append(known, e.schemes...)
		if found && slices.Contains(e.schemes, u.scheme) {
			u.engine = &e
		}
	}
	if u.engine == nil {
		return nil, badInput("the URL of %s begins with none of %s:// (a file needs no scheme)", source, strings.Join(known, "://, "))
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil, u.bad("has a space or a control character, which is written as %20, say")
	}
	rest, query, _ := strings.Cut(rest, "?")
	if strings.Contains(rest+query, "#") {
		return nil, u.bad("has a #, which is written as %23")
	}
	authority, path, _ := strings.Cut(rest, "/")
	if strings.Contains(path+query, "@") {
		return nil, u.bad(badPassword) // a / or ? in it makes a part of it the host
	}
	var err error
	if u.params, err = url.ParseQuery(query); err != nil {
		return nil, u.bad("has unreadable parameters")
	}
	if u.path, err = url.PathUnescape(path); err != nil {
		return nil, u.bad("has an unreadable path")
	}
	hosts := authority
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		user, password, _ := strings.Cut(authority[:i], ":")
		if u.user, err = url.PathUnescape(user); err == nil {
			u.password, err = url.PathUnescape(password)
		}
		if err != nil || strings.Contains(authority[:i], "@") {
			return nil, u.bad(badPassword)
		}
		hosts = authority[i+1:]
	}
	for _, host := range strings.Split(hosts, ",") {
		if host, err = withPort(host, u.engine.port); err != nil {
			return nil, u.bad("has an unreadable host or port")
		}
		u.hosts = append(u.hosts, host)
	}
	for name, values := range u.params {
		if len(values) > 1 {
			return nil, u.bad("has a parameter twice")
		}
		if known := u.engine.params; known != nil && !slices.Contains(known, name) {
			return nil, u.bad("has an unknown parameter; known are " + strings.Join(known, ", "))
		}
	}
	return u, nil
}

const badPassword = "has an unreadable user or password, in which / : @ # ? % are written as %2F %3A %40 %23 %3F %25"

// duration returns a parameter that is a duration, 0 when it is not given.
func (u *storeURL) duration(name string) (time.Duration, error) {
	text := u.params.Get(name)
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, u.bad("has a " + name + " that is no duration above 0, such as 500ms")
	}
	return d, nil
}

// withPort returns host:port.
func withPort(host, port string) (string, error) {
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = net.JoinHostPort(host[1:len(host)-1], port)
	} else if !strings.Contains(host, ":") {
		host = net.JoinHostPort(host, port)
	}
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		return "", err
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || name == "" {
		return "", strconv.ErrRange
	}
	return host, nil
}
