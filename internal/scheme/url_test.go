package scheme

import (
	"context"
	"errors"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
)

var errOpened = errors.New("opened")

func TestMain(m *testing.M) {
	for port, schemes := range map[string]string{
		"5432": "postgres postgresql", "3306": "mysql mariadb", "6379": "redis rediss",
		"2379": "etcd", "2181": "zookeeper", "443": "kubernetes", "": "sqlite",
	} {
		d := Driver{Schemes: strings.Fields(schemes), Port: port, SQL: port != "2379", Inside: port == "443",
			Form: "as it has to be",
			Open: func(context.Context, *URL, Options) (*Store, error) { return nil, errOpened }}
		if port == "" || d.Inside {
			d.Params = []string{}
		}
		Register(d)
	}
	os.Exit(m.Run())
}

func TestFiles(t *testing.T) {
	for text, path := range map[string]string{
		"sqlite:workers.db": "workers.db", "sqlite:/srv/uid/workers.db": "/srv/uid/workers.db",
		"sqlite:///srv/a b.db": "/srv/a b.db",
		"./workers.db":         "./workers.db", "sqlite:a/b?namespace=orders": "a/b",
	} {
		u, err := Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, path, u.Path)
		require.Empty(t, u.Hosts)
	}
	for _, text := range []string{
		"", "sqlite:", "sqlite:x", "sqlite://x.db", "sqlite:x.db?mode=ro", "sqlite://", "SQLITE:x.db",
	} {
		_, err := Parse(text)
		require.ErrorIs(t, err, uid.ErrConfig, text)
	}
}

func TestWhatAllHave(t *testing.T) {
	u, err := Parse("mysql://h/x?tls=true&namespace=orders")
	require.NoError(t, err)
	require.Equal(t, "orders", u.Namespace)
	require.Equal(t, "mysql://h/x?tls=true", u.String())
	u, err = Parse("mysql://h/x?ids=disposable")
	require.NoError(t, err)
	require.True(t, u.Disposable)
	_, err = u.Open(t.Context(), Options{})
	require.ErrorIs(t, err, errOpened)
	for text, says := range map[string]string{
		"mysql://h/x?namespace=%C3%B6":            "no name of one",
		"mysql://h/x?ids=hunter2":                 "neither lease nor disposable",
		"mysql://h/x?ids=disposable&namespace=or": "a namespace, which is of leases",
		"oracle://h/x":                            "none of etcd://, kubernetes://, mysql://, mariadb://",
	} {
		_, err := Parse(text)
		logtest.Error(t, err, uid.ErrConfig, says)
		require.NotContains(t, err.Error(), "hunter2")
	}
	u, err = Parse("etcd://h/x?ids=disposable")
	require.NoError(t, err)
	_, err = u.Open(t.Context(), Options{})
	require.ErrorContains(t, err, "for databases that speak SQL")
	require.Panics(t, func() { Register(Driver{Schemes: []string{"tidb", "mysql"}}) })
}

// Who lacks a driver is told which import it is.
func TestDriverThatIsNotThere(t *testing.T) {
	mu.Lock()
	was := drivers
	drivers = nil
	mu.Unlock()
	defer func() { drivers = was }()
	for text, says := range map[string]string{
		"redis://h": `import _ "github.com/uidgen/uid/stores/redis"`,
		"x.db":      `import _ "github.com/uidgen/uid/worker/sqlite"`,
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, says)
	}
}

func TestPaths(t *testing.T) {
	const both = "linux windows"
	for text, systems := range map[string]string{
		"workers.db": both, "workers.sqlite": both, "./workers": both, "data/workers": both,
		"/srv/uid/workers.db": both, "/srv//workers.db": both, "../x": both, "~/x": both, "a b.db": both,
		"//host/share/x.db": both, "/srv/é/ü": both, "mysql.db": both, "./mysql": both, "data/x//y.db": both,
		`C:\uid\workers.db`: "windows", "c:/uid/workers": "windows", `\\host\share\x`: "windows",
		`data\workers`: "windows", `data\workers.db`: both, `C:workers.db`: "", `C:`: "", `C:\a:b.db`: "",
		`CD:\x.db`: "", `@:\x.db`: "", "": "", "/$x": "", "mysql//x": "", `mysql\\x`: "", "mysql///x": "",
		".//x.db": "", "workers.db3": "", "db": "", "workers.db\n": "", " ./workers.db": "",
		"user=me password=hunter2/x dbname=db": "",
	} {
		for goos := range strings.FieldsSeq(both) {
			require.Equal(t, strings.Contains(systems, goos), isPath(text, goos), "%s on %s", text, goos)
		}
	}
}

// No URL of a server becomes the path of a file by one character that is left out, is wrong, is
// doubled, or stands behind the one that follows.
func TestOneWrongCharacter(t *testing.T) {
	for _, url := range []string{
		"postgres://h/db", "mysql://h/db", "etcd://h/prefix", "etcd://h", "zookeeper://h/path", "redis://h/0",
		"rediss://h", "mysql://me:secret@h:3306/db", "kubernetes://h/shop",
	} {
		var all []string
		for i := range len(url) {
			before, c, after := url[:i], url[i:i+1], url[i+1:]
			all = append(all, before+after, before+c+c+after)
			if after != "" {
				all = append(all, before+after[:1]+c+after[1:])
			}
			for other := byte(' '); other < 0x7f; other++ {
				all = append(all, before+string(other)+after)
			}
		}
		for _, text := range all {
			u, err := Parse(text)
			require.True(t, err != nil || len(u.Hosts) > 0, text)
		}
	}
}

func TestParse(t *testing.T) {
	u, err := Parse("MySQL://me:s%2Fcr%40t@db.example/app?tls=true&timeout=3s")
	require.NoError(t, err)
	require.Equal(t, &URL{Driver: find("mysql"), Scheme: "mysql", User: "me", Password: "s/cr@t",
		Hosts: []string{"db.example:3306"}, Path: "app", Params: url.Values{"tls": {"true"}, "timeout": {"3s"}},
		raw: "MySQL://me:s%2Fcr%40t@db.example/app"}, u)

	for text, hosts := range map[string][]string{
		"postgres://a:1,b,[::1],[fe80::1]:7/x": {"a:1", "b:5432", "[::1]:5432", "[fe80::1]:7"},
		"postgres://me@10.0.0.1/x":             {"10.0.0.1:5432"},
		"postgresql://me:p:q@h:65535/x":        {"h:65535"},
	} {
		u, err := Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, hosts, u.Hosts, text)
	}
}

// Only the store of a cluster that the program runs in has no host, and then nothing of one.
func TestNoHost(t *testing.T) {
	u, err := Parse("kubernetes://?namespace=orders")
	require.NoError(t, err)
	require.Equal(t, "orders", u.Namespace)
	require.Empty(t, u.Hosts)
	for text, says := range map[string]string{
		"kubernetes:///hunter2": "has a path and no host", "etcd://": "unreadable host or port",
		"etcd:///x": "unreadable host or port", "kubernetes://:443": "unreadable host or port",
		"kubernetes://me@": "unreadable host or port", "kubernetes://,h/x": "unreadable host or port",
	} {
		_, err := Parse(text)
		logtest.Error(t, err, uid.ErrConfig, says)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func FuzzParse(f *testing.F) {
	const canary = "hunter2"
	f.Add("mysql://me:", "@h/x")
	f.Add("postgres://", "@h,i:1/x?sslmode=disable")
	f.Add("mysql://h/x?tls=", "%2")
	f.Add("po\x8ftgres://", "0")
	f.Fuzz(func(t *testing.T, before, after string) {
		u, err := Parse(before + canary + after)
		if err != nil {
			require.NotContains(t, err.Error(), canary)
			require.False(t, strings.ContainsAny(err.Error(), "\n\r"))
			return
		}
		require.True(t, len(u.Hosts) > 0 || u.Scheme == "sqlite" || u.Driver.Inside)
	})
}
