package promise

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/stores/kubernetes"
	"github.com/uidgen/uid/stores/redis"
	"github.com/uidgen/uid/stores/zookeeper"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// keys are a place in a store of keys: how processes see it, and what is there, for those who do it harm.
type keys struct {
	registry.Store
	raw  raw
	full atomic.Bool // nothing can be written

	copies bool   // what is put back under the keys is known for a copy, and refused
	whole  *whole // nil where keys that are put back are as those of a snapshot
}

// A whole store is that of servers which nobody else uses.
type whole struct {
	keep  func() (back func() error, err error)
	split func(testing.TB) *keys // another one, of what is there
	end   func()
}

// raw is what is kept under the keys of leases, as the engine has it.
type raw interface {
	all(ctx context.Context) (map[string]string, error)
	set(ctx context.Context, key, value string) error
	remove(ctx context.Context, key string) error
}

// isRow reports whether a key is that of a worker ID.
func isRow(key string) bool { return strings.Contains(key, "worker/") }

// put puts back those of some keys that is says.
func (s *scene) put(k *keys, kept map[string]string, is func(key string) bool) {
	s.t.Helper()
	for key, value := range kept {
		if is(key) {
			require.NoError(s.t, k.raw.set(s.t.Context(), key, value))
		}
	}
}

// all returns what is there.
func (s *scene) all() map[string]string {
	s.t.Helper()
	all, err := s.db.keys.raw.all(s.t.Context())
	require.NoError(s.t, err)
	return all
}

// remove removes those keys that is says.
func (s *scene) remove(is func(key string) bool) {
	s.t.Helper()
	for _, key := range slices.Backward(slices.Sorted(maps.Keys(s.all()))) { // rows before their namespace
		if is(key) {
			require.NoError(s.t, s.db.keys.raw.remove(s.t.Context(), key))
		}
	}
}

func everything(string) bool { return true }

// edit changes the rows for which change returns true by the store itself, as whoever writes its JSON by hand.
func (s *scene) edit(change func(*storage.Lease) bool) {
	s.t.Helper()
	l, err := s.db.keys.Namespace("")
	require.NoError(s.t, err)
	decide := func(_ *storage.Namespace, row *storage.Lease, _ storage.Clock) error {
		if row == nil || !change(row) {
			return errors.New("nothing to write")
		}
		return nil
	}
	page, err := s.db.keys.Rows(s.t.Context(), "", -1, 1<<promised.WorkerBits())
	require.NoError(s.t, err)
	for _, row := range page.Rows {
		if id := row.WorkerID; change(&row) {
			_ = l.Change(s.t.Context(), id, decide)
		}
	}
}

// A cable is a process's own way to a store of keys.
type cable struct {
	lease.Store
	db *base
}

const (
	loseReply = 1 + iota
	loseRequest
)

var errCut = worker.Transient(errors.New("the store cannot be reached"))

func (c cable) do(write func() error) error {
	if c.db.down.Load() || c.db.keys.full.Load() {
		return errCut
	}
	switch c.db.swallows.Swap(0) {
	case loseRequest:
		c.db.swallowed.Add(1)
		return errCut
	case loseReply:
		if err := write(); err != nil {
			return err
		}
		c.db.swallowed.Add(1)
		return errCut
	}
	return write()
}

// decision is what a call of a store of leases does with what it reads.
type decision = func(*storage.Namespace, *storage.Lease, storage.Clock) error

func (c cable) Take(ctx context.Context, w storage.Wanted, decide decision) error {
	return c.do(func() error { return c.Store.Take(ctx, w, decide) })
}

func (c cable) Change(ctx context.Context, id int64, decide decision) error {
	return c.do(func() error { return c.Store.Change(ctx, id, decide) })
}

func (c cable) Inspect(ctx context.Context) ([]string, error) {
	if c.db.down.Load() {
		return nil, errCut
	}
	return c.Store.Inspect(ctx)
}

func (c cable) Init(ctx context.Context, decide func(*storage.Namespace, storage.Clock) error) error {
	return c.do(func() error { return c.Store.Init(ctx, decide) })
}

var sharedEtcd = cluster.Share(func() (*cluster.Etcd, error) {
	return cluster.StartEtcd("shared etcd", 1, noSync)
})

const noSync = "--unsafe-no-fsync" // nothing here needs the disk

func newEtcd(t testing.TB, _ bool) *keys {
	t.Helper()
	cfg := clientv3.Config{Endpoints: sharedEtcd(t).Addrs(), DialTimeout: time.Second, Logger: zap.NewNop()}
	client, err := clientv3.New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	prefix := rand.Text() + "/"
	s, err := etcd.New(client, etcd.Config{Prefix: prefix, ClockError: 5 * time.Millisecond})
	require.NoError(t, err)
	return &keys{Store: s.Registry(), raw: inEtcd{client, prefix}}
}

type inEtcd struct {
	*clientv3.Client
	prefix string
}

func (e inEtcd) all(ctx context.Context) (map[string]string, error) {
	r, err := e.Get(ctx, e.prefix, clientv3.WithPrefix())
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, kv := range r.Kvs {
		all[strings.TrimPrefix(string(kv.Key), e.prefix)] = string(kv.Value)
	}
	return all, nil
}

func (e inEtcd) set(ctx context.Context, key, value string) error {
	_, err := e.Put(ctx, e.prefix+key, value)
	return err
}

func (e inEtcd) remove(ctx context.Context, key string) error {
	_, err := e.Delete(ctx, e.prefix+key)
	return err
}

var sharedRedis = cluster.Share(func() (*cluster.Redis, error) { return cluster.StartRedis("shared redis") })

func newRedis(t testing.TB, _ bool) *keys {
	t.Helper()
	client, prefix := goredis.NewClient(&goredis.Options{Addr: sharedRedis(t).Addr(0)}), rand.Text()
	t.Cleanup(func() { _ = client.Close() })
	s, err := redis.New(client, redis.Config{Prefix: prefix})
	require.NoError(t, err)
	return &keys{Store: s.Registry(), raw: inRedis{client, prefix + ":{default}:"}}
}

type inRedis struct {
	*goredis.Client
	base string
}

// Rows are in a hash, beside a sorted set of their IDs.
func (r inRedis) all(ctx context.Context) (map[string]string, error) {
	rows, err := r.HGetAll(ctx, r.base+"rows").Result()
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for id, text := range rows {
		all["leases/default/worker/"+id] = text
	}
	own, err := r.Get(ctx, r.base+"namespace").Result()
	if err == nil {
		all["leases/default/namespace"] = own
	}
	if errors.Is(err, goredis.Nil) {
		err = nil
	}
	return all, err
}

func (r inRedis) set(ctx context.Context, key, value string) error {
	_, id, row := strings.Cut(key, "worker/")
	if !row {
		return r.Set(ctx, r.base+"namespace", value, 0).Err()
	}
	_, err := r.TxPipelined(ctx, func(p goredis.Pipeliner) error {
		p.ZAdd(ctx, r.base+"ids", goredis.Z{Member: id})
		p.HSet(ctx, r.base+"rows", id, value)
		return nil
	})
	return err
}

func (r inRedis) remove(ctx context.Context, key string) error {
	_, id, row := strings.Cut(key, "worker/")
	if !row {
		return r.Del(ctx, r.base+"namespace").Err()
	}
	_, err := r.TxPipelined(ctx, func(p goredis.Pipeliner) error {
		p.ZRem(ctx, r.base+"ids", id)
		p.HDel(ctx, r.base+"rows", id)
		return nil
	})
	return err
}

var sharedZooKeeper = cluster.Share(func() (*cluster.ZooKeeper, error) { return cluster.StartZooKeeper(1) })

type silence struct{}

func (silence) Printf(string, ...any) {}

func newZooKeeper(t testing.TB, _ bool) *keys {
	t.Helper()
	conn, _, err := zk.Connect(sharedZooKeeper(t).Addrs(), 10*time.Second, zk.WithLogger(silence{}))
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	root := "/" + rand.Text()
	s, err := zookeeper.New(conn, zookeeper.Config{Root: root, ClockError: 5 * time.Millisecond})
	require.NoError(t, err)
	return &keys{Store: s.Registry(), raw: inZooKeeper{conn, root + "/default"}}
}

// A namespace's node is above those of its rows, and has no data where there is none.
type inZooKeeper struct {
	*zk.Conn
	node string
}

func (z inZooKeeper) all(context.Context) (map[string]string, error) {
	all := map[string]string{}
	own, _, err := z.Get(z.node)
	if errors.Is(err, zk.ErrNoNode) {
		return all, nil
	}
	if len(own) > 0 {
		all[stores.Key{Namespace: "default", ID: -1}.String()] = string(own)
	}
	names, _, failed := z.Children(z.node)
	for _, name := range names {
		if id, no := strconv.ParseInt(name, 10, 64); no == nil && err == nil {
			var row []byte
			row, _, err = z.Get(z.node + "/" + name)
			all[stores.Key{Namespace: "default", ID: id}.String()] = string(row)
		}
	}
	return all, errors.Join(err, failed)
}

func (z inZooKeeper) path(key string) string {
	if k, _ := stores.ParseKey(key); k.ID >= 0 {
		return z.node + "/" + strconv.FormatInt(k.ID, 10)
	}
	return z.node
}

func (z inZooKeeper) set(_ context.Context, key, value string) error {
	for _, above := range []string{z.node[:strings.LastIndex(z.node, "/")], z.node} {
		if _, err := z.Create(above, nil, 0, zk.WorldACL(zk.PermAll)); err != nil && !errors.Is(err, zk.ErrNodeExists) {
			return err
		}
	}
	_, err := z.Set(z.path(key), []byte(value), -1)
	if errors.Is(err, zk.ErrNoNode) {
		_, err = z.Create(z.path(key), []byte(value), 0, zk.WorldACL(zk.PermAll))
	}
	return err
}

func (z inZooKeeper) remove(_ context.Context, key string) error {
	if !isRow(key) {
		_, err := z.Set(z.node, nil, -1)
		return err
	}
	return z.Delete(z.path(key), -1)
}

var sharedKubernetes = cluster.Share(func() (*cluster.Kubernetes, error) {
	return cluster.StartKubernetes("shared kubernetes", 1, noSync)
})

func newKubernetes(t testing.TB, own bool) *keys {
	t.Helper()
	if own {
		return ownKubernetes(t)
	}
	out := inCluster(t, sharedKubernetes(t), "")
	out.copies = true
	return out
}

// inCluster returns the keys of a Kubernetes namespace that is there or, with "", a new one.
func inCluster(t testing.TB, k *cluster.Kubernetes, namespace string) *keys {
	t.Helper()
	n, err := k.NewTenant(t.Context(), namespace)
	require.NoError(t, err)
	s, err := kubernetes.New(kubernetes.Config{
		URL: k.URL(0), CAFile: n.CA, TokenFile: n.Token, Namespace: n.Namespace, ClockError: 5 * time.Millisecond,
	})
	require.NoError(t, err)
	return &keys{Store: s.Registry(), raw: inKubernetes{k, n.Namespace}}
}

// few bounds how many clusters run at once.
var few = make(chan bool, 3)

// ownKubernetes is an API server and an etcd that is put back to a snapshot.
func ownKubernetes(t testing.TB) *keys {
	t.Helper()
	few <- true
	var all []*cluster.Kubernetes
	end := sync.OnceFunc(func() {
		for _, k := range all {
			k.Close()
		}
		<-few
	})
	t.Cleanup(end)
	start := func() *cluster.Kubernetes {
		k, err := cluster.StartKubernetes("own kubernetes", 1, noSync)
		require.NoError(t, err)
		all = append(all, k)
		return k
	}
	k := start()
	out := inCluster(t, k, "")
	out.whole = &whole{
		keep: func() (func() error, error) {
			back, err := k.Backup()
			return func() error { return back(k) }, err
		},
		split: func(t testing.TB) *keys {
			t.Helper()
			back, err := k.Backup()
			require.NoError(t, err)
			twin := start()
			require.NoError(t, back(twin))
			return inCluster(t, twin, out.raw.(inKubernetes).namespace)
		},
		end: end,
	}
	return out
}

// inKubernetes does what kubectl get, create, replace and delete do.
type inKubernetes struct {
	k         *cluster.Kubernetes
	namespace string
}

type object = map[string]any

// ask asks about the Lease of a key, or with "" about all of them.
func (c inKubernetes) ask(ctx context.Context, method, key string, sent any) (got object, err error) {
	path := "/apis/coordination.k8s.io/v1/namespaces/" + c.namespace + "/leases"
	if k, row := stores.ParseKey(key); row {
		path += "/uid-" + k.Namespace
		if k.ID >= 0 {
			path += fmt.Sprint(".", k.ID)
		}
	}
	said, err := c.k.Ask(ctx, 0, c.k.Token, method, path, sent)
	if err == nil {
		err = json.Unmarshal(said, &got)
	}
	return got, err
}

func (c inKubernetes) all(ctx context.Context) (map[string]string, error) {
	list, err := c.ask(ctx, http.MethodGet, "", nil)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, item := range list["items"].([]any) {
		text, _ := json.Marshal(item) // which came as JSON
		key := item.(object)["metadata"].(object)["annotations"].(object)["uidgen/key"]
		all[key.(string)] = string(text)
	}
	return all, nil
}

func (c inKubernetes) set(ctx context.Context, key, value string) error {
	var kept object
	if err := json.Unmarshal([]byte(value), &kept); err != nil {
		return err
	}
	meta := kept["metadata"].(object)
	delete(meta, "uid")
	delete(meta, "resourceVersion")
	there, err := c.ask(ctx, http.MethodGet, key, nil)
	if err != nil {
		_, err = c.ask(ctx, http.MethodPost, "", kept)
		return err
	}
	meta["resourceVersion"] = there["metadata"].(object)["resourceVersion"]
	_, err = c.ask(ctx, http.MethodPut, key, kept)
	return err
}

func (c inKubernetes) remove(ctx context.Context, key string) error {
	_, err := c.ask(ctx, http.MethodDelete, key, nil)
	return err
}
