package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/engines/serve"
)

// Ways to draw from a server: UIDs over each protocol, and numbers of a tag.
const (
	web    = "HTTP"
	resp   = "Redis protocol"
	tagged = "numbers over the Redis protocol"
)

// clients draw from two servers: a million UIDs over each protocol, and numbers.
func clients(planted string) (all []slot) {
	for i := range 2 {
		s := slot{Worker: served, Place: fmt.Sprint("server ", i), Planted: planted}
		for _, c := range []struct {
			way       string
			at, least int // clients at a time, and what they have to draw
		}{{web, 32, 500_000}, {resp, 2, 500_000}, {tagged, 1, 50_000}} {
			s.Name, s.Draw = c.way+" of "+s.Place, slices.Repeat([]string{c.way}, c.at)
			s.Least, s.Weight = uint64(c.least), float64(c.least)
			if planted != "" {
				s.Least = 0
			}
			all = append(all, s)
		}
	}
	return all
}

// serve has clients draw from two processes of uid serve on one MariaDB, while all are killed, and then from two that
// have one worker ID, whose duplicates have to be found.
func (s *settings) serve(ctx context.Context, _ *tables) error {
	layout, s.rate = newLayout(medium), 90e3
	dir, err := os.MkdirTemp("", "uid-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	command, err := cluster.BuildCommand(dir)
	if err != nil {
		return err
	}
	db, err := cluster.StartMariaDB("serve")
	if err != nil {
		return err
	}
	defer db.Close()
	store := db.URL(db.Addr(0))
	if err := serve.CreateTag(command, store); err != nil {
		return err
	}
	var res result
	if err := s.served(command, store, nil, func(w *world) error {
		d := &engines.Deployment{
			Nodes: []engines.Node{db}, URL: func(...string) string { return store }, Close: func() {},
		}
		if err := w.open(&place{name: "database", d: d, often: 0.4, behind: true}); err != nil {
			return err
		}
		return s.round(ctx, w, clients(""), s.length, 0, &res)
	}); err != nil {
		return err
	}
	res.write(s.out)
	if err := res.err(); err != nil {
		return err
	}
	return s.served(command, store, []string{"--worker-id", "7", "--state", "uid.state"}, func(w *world) error {
		_, err := s.planted(ctx, w, clients("two servers with one worker ID"))
		return err
	})
}

// served does something with two servers.
func (s *settings) served(command, store string, args []string, do func(*world) error) error {
	w, err := newWorld()
	if err != nil {
		return err
	}
	defer w.close()
	var all []*cluster.Server
	args = append(args, "--layout", layout.String())
	for i := range 2 {
		name := fmt.Sprint("server ", i)
		server, err := serve.Start(name, command, store, args...)
		if err != nil {
			return err
		}
		all = append(all, server)
		if err := w.open(&place{name: name, often: 0.2, d: &engines.Deployment{
			Nodes: []engines.Node{server}, Close: server.Close,
			URL: func(...string) string { return "served://" + server.Addr(0) + "," + server.Addr(1) },
		}}); err != nil {
			return err
		}
	}
	if err := do(w); err != nil {
		return err
	}
	for _, server := range all {
		if err := server.Stop(); err != nil || strings.Contains(server.Output(), "panic") {
			return fmt.Errorf("soak: a server did not end in good order: %w\n%s", err, server.Output())
		}
	}
	return nil
}

// A client draws from a server. Errors that a client may see wrap uid.ErrNoReservation.
type client struct {
	uid.Generator
	web   string // the server's address
	redis *redis.Client
}

func (p job) client() *generator {
	logging.Disable() // the client library tells of servers that are down
	web, resp, _ := strings.Cut(strings.TrimPrefix(p.URL, "served://"), ",")
	return &generator{Generator: &client{web: web, redis: serve.Dial(resp, len(p.Slot.Draw))}}
}

func (c *client) Close() error { return c.redis.Close() }

func failed(text string, err error) error {
	return fmt.Errorf("%w: %s: %w", uid.ErrNoReservation, text, err)
}

func (c *client) draw(way string) func([]uid.UID) (int, error) {
	calls := 0
	switch way {
	case web:
		one := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}, Timeout: 10 * time.Second}
		return func(dst []uid.UID) (int, error) {
			n, target := 1, "/v1/uid"
			if calls++; calls%4 == 0 {
				n = 1 + calls%40
				target = "/v1/uids?n=" + strconv.Itoa(n)
			}
			return c.get(one, target, dst[:n])
		}
	case resp:
		return func(dst []uid.UID) (int, error) { return c.pipeline(dst, "uid", 1) }
	}
	return func(dst []uid.UID) (int, error) { return c.pipeline(dst, serve.Tag, 3) }
}

// get draws as many UIDs as dst has room for: one, or a batch.
func (c *client) get(by *http.Client, target string, dst []uid.UID) (int, error) {
	answer, err := by.Get("http://" + c.web + target)
	if err != nil {
		return 0, failed("the connection fails", err)
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	switch {
	case err != nil:
		return 0, failed("an answer is cut off", err)
	case answer.StatusCode == http.StatusServiceUnavailable:
		return 0, failed(target, errors.New(answer.Status))
	case answer.StatusCode != http.StatusOK:
		return 0, fmt.Errorf("%s: %s: %s", target, answer.Status, body)
	}
	var said struct {
		UID  string
		UIDs []string
	}
	err = json.Unmarshal(body, &said)
	if said.UID != "" {
		said.UIDs = append(said.UIDs, said.UID)
	}
	if err != nil || len(said.UIDs) != len(dst) {
		return 0, fmt.Errorf("%s: %v, %d UIDs: %.100s", target, err, len(said.UIDs), body)
	}
	for i, text := range said.UIDs {
		u, err := strconv.ParseInt(text, 10, 64)
		if err != nil || u <= 0 {
			return i, fmt.Errorf("%s: %.100s", target, text)
		}
		dst[i] = uid.UID(u)
	}
	return len(dst), nil
}

// pipeline draws a hundred times of a tag, up to most in a row.
func (c *client) pipeline(dst []uid.UID, tag string, most int) (drawn int, refused error) {
	ctx, pipe := context.Background(), c.redis.Pipeline()
	for i := range 100 {
		if by := int64(1 + i%most); by > 1 {
			pipe.IncrBy(ctx, tag, by)
		} else {
			pipe.Incr(ctx, tag)
		}
	}
	answers, _ := pipe.Exec(ctx) // each answer has its own error
	for i, a := range answers {
		last, err := a.(*redis.IntCmd).Result()
		var said redis.Error
		switch {
		case err == nil && last > 0:
			for n := last - int64(i%most); n <= last; n++ {
				dst[drawn] = uid.UID(n)
				drawn++
			}
		case err == nil || errors.As(err, &said) && !strings.HasPrefix(err.Error(), "ERR "):
			return drawn, fmt.Errorf("%v", a) // neither a number nor an error that a client may see
		default:
			refused = failed("Redis protocol", err)
		}
	}
	return drawn, refused
}
