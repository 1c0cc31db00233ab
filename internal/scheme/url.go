package scheme

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/settings"
)

// A URL is the address of a store. Its texts may be secret; no error repeats them.
type URL struct {
	Driver         *Driver
	Scheme         string // in lower case
	User, Password string
	Hosts          []string   // host:port; none if the store is inside
	Path           string     // without the first /; of a file as it is
	Params         url.Values // without those that are common to all stores, which follow
	Namespace      string     // namespace=NAME: of leases; "" for the default
	Disposable     bool       // ids=disposable: the worker ID is not leased

	raw string // up to the parameters
}

// Open opens the store.
func (u *URL) Open(ctx context.Context, o Options) (*Store, error) {
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	if !u.Driver.SQL && (u.Disposable || o.NodeTable+o.LeaseTable+o.SegmentTable != "") {
		return nil, fmt.Errorf("%w: names of tables, and ids=disposable, are for databases that speak SQL",
			uid.ErrConfig)
	}
	return u.Driver.Open(ctx, u, o)
}

// String returns the URL, with its secrets, for the client library.
func (u *URL) String() string {
	if len(u.Params) == 0 {
		return u.raw
	}
	return u.raw + "?" + u.Params.Encode()
}

// Bad returns an error about the URL, which wraps [uid.ErrConfig]: why follows "the URL".
func (u *URL) Bad(why string) error {
	return fmt.Errorf("%w: the URL %s: it has to be %s", uid.ErrConfig, why, u.Driver.Form)
}

// packages are those that register the drivers of this project.
var packages = map[string]string{
	"mysql": "connect/mysql", "mariadb": "connect/mysql",
	"postgres": "connect/postgres", "postgresql": "connect/postgres",
	"redis": "stores/redis", "rediss": "stores/redis",
	"sqlite": "worker/sqlite", "etcd": "stores/etcd", "zookeeper": "stores/zookeeper",
	"kubernetes": "stores/kubernetes",
}

// Parse reads scheme://user:password@host:port,host:port/path?parameters, sqlite:PATH, or a path that
// cannot be meant for something else. It returns an error that wraps [uid.ErrConfig] for all else, and where
// no [Driver] of the scheme is registered.
func Parse(text string) (*URL, error) {
	if text == "" {
		return nil, fmt.Errorf("%w: the URL of the store is empty: is the variable set that it comes from?",
			uid.ErrConfig)
	}
	name, rest, found := strings.Cut(text, "://")
	scheme := strings.ToLower(name) // of another length, if name is no UTF-8
	if file, is := strings.CutPrefix(text, "sqlite:"); is {
		path, query, _ := strings.Cut(strings.TrimPrefix(file, "//"), "?")
		if strings.HasPrefix(file, "//") && !strings.HasPrefix(file, "///") || !isPath(path, runtime.GOOS) {
			return nil, noStore()
		}
		return parse("sqlite", path, path, query)
	}
	if !found {
		if !isPath(text, runtime.GOOS) {
			return nil, noStore()
		}
		return File(text)
	}
	if scheme == "sqlite" {
		return nil, noStore()
	}
	rest, query, _ := strings.Cut(rest, "?")
	return parse(scheme, name+"://"+rest, rest, query)
}

// File returns the URL of a SQLite file, whatever its path is.
func File(path string) (*URL, error) { return parse("sqlite", path, path, "") }

func parse(scheme, raw, rest, query string) (*URL, error) {
	mu.Lock()
	u := &URL{Driver: find(scheme), Scheme: scheme, raw: raw}
	mu.Unlock()
	if u.Driver == nil {
		return nil, noDriver(scheme)
	}
	bad := func(r rune) bool { return r < ' ' || r == 0x7f || r == ' ' && u.Driver.Port != "" }
	if strings.ContainsFunc(raw+query, bad) {
		return nil, u.Bad("has a space or a control character, which is written as %20, say")
	}
	if strings.Contains(rest+query, "#") && u.Driver.Port != "" {
		return nil, u.Bad("has a #, which is written as %23")
	}
	if err := u.parameters(query); err != nil {
		return nil, err
	}
	if u.Driver.Port == "" {
		u.Path = rest
		return u, nil
	}
	return u, u.server(rest, query)
}

// server reads user:password@host:port,host:port/path. net/url would repeat the URL in its errors.
func (u *URL) server(rest, query string) (err error) {
	authority, path, _ := strings.Cut(rest, "/")
	if strings.Contains(path+query, "@") {
		return u.Bad(badPassword) // a / or ? in it makes a part of it the host
	}
	if u.Path, err = url.PathUnescape(path); err != nil {
		return u.Bad("has an unreadable path")
	}
	if authority == "" && u.Driver.Inside {
		if path != "" {
			return u.Bad("has a path and no host") // perhaps that of a variable which is not set
		}
		return nil
	}
	hosts := authority
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		user, password, _ := strings.Cut(authority[:i], ":")
		if u.User, err = url.PathUnescape(user); err == nil {
			u.Password, err = url.PathUnescape(password)
		}
		if err != nil || strings.Contains(authority[:i], "@") {
			return u.Bad(badPassword)
		}
		hosts = authority[i+1:]
	}
	for _, host := range strings.Split(hosts, ",") {
		if host, err = withPort(host, u.Driver.Port); err != nil {
			return u.Bad("has an unreadable host or port")
		}
		u.Hosts = append(u.Hosts, host)
	}
	return nil
}

const badPassword = "has an unreadable user or password, in which / : @ # ? % are written as %2F %3A %40 %23 %3F %25"

// parameters reads what follows the question mark.
func (u *URL) parameters(query string) (err error) {
	if u.Params, err = url.ParseQuery(query); err != nil {
		return u.Bad("has unreadable parameters")
	}
	for _, values := range u.Params {
		if len(values) > 1 {
			return u.Bad("has a parameter twice")
		}
	}
	ids := u.Params.Get("ids")
	u.Namespace, u.Disposable = u.Params.Get("namespace"), ids == "disposable"
	_, err = settings.Namespace(u.Namespace)
	switch {
	case err != nil:
		return u.Bad("has a namespace that is no name of one")
	case ids != "" && ids != "lease" && !u.Disposable:
		return u.Bad("has ids that are neither lease nor disposable")
	case u.Disposable && u.Namespace != "":
		return u.Bad("has ids=disposable and a namespace, which is of leases")
	}
	u.Params.Del("ids")
	u.Params.Del("namespace")
	for name := range u.Params {
		if known := u.Driver.Params; known != nil && !slices.Contains(known, name) {
			known = append(slices.Clone(known), "namespace", "ids")
			return u.Bad("has an unknown parameter; known are " + strings.Join(known, ", "))
		}
	}
	return nil
}

// Duration returns a parameter that is a duration, 0 when it is not given.
func (u *URL) Duration(name string) (time.Duration, error) {
	text := u.Params.Get(name)
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, u.Bad("has a " + name + " that is no duration above 0, such as 500ms")
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

// noDriver is the error of a scheme that nothing is registered for.
func noDriver(scheme string) error {
	if from := packages[scheme]; from != "" {
		return fmt.Errorf(`%w: the program lacks the driver of %s: import _ "github.com/uidgen/uid/%s"`,
			uid.ErrConfig, scheme, from)
	}
	var known []string
	for _, d := range All() {
		if d.Port != "" {
			known = append(known, d.Schemes...)
		}
	}
	return fmt.Errorf("%w: the URL begins with none of %s:// (a file needs no scheme)",
		uid.ErrConfig, strings.Join(known, "://, "))
}
