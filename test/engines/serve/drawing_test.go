package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/uidgen/uid/test/engines/cluster"
)

// What clients draw with.
const (
	webClients, uidClients, tagClients = 64, 4, 2
	pipelined                          = 100
	pause                              = 4 * time.Millisecond // after each request, so that the run has many starts
)

// A client draws until it is told to stop, and keeps what it got.
type client struct {
	uids, numbers []int64
	failures      map[string]int // errors that a client may see, by kind
	surprises     []string       // all else
}

func (c *client) failed(kind string) { c.failures[kind]++ }

func (c *client) surprised(format string, args ...any) {
	if len(c.surprises) < 5 {
		c.surprises = append(c.surprises, fmt.Sprintf(format, args...))
	}
}

// draw has clients of both protocols draw until done, and returns what they got.
func draw(done <-chan struct{}, all []*cluster.Server) (clients []*client) {
	var drawing sync.WaitGroup
	start := func(i int, run func(<-chan struct{}, *client, *cluster.Server)) {
		c := &client{failures: map[string]int{}}
		clients = append(clients, c)
		drawing.Go(func() { run(done, c, all[i%len(all)]) })
	}
	for i := range webClients {
		start(i, overHTTP)
	}
	for i := range uidClients {
		start(i, overRedis)
	}
	for i := range tagClients {
		start(i, numbersOverRedis)
	}
	drawing.Wait()
	return clients
}

func isDone(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(pause):
		return false
	}
}

// overHTTP draws UIDs over one connection: one by one, and in batches.
func overHTTP(done <-chan struct{}, c *client, s *cluster.Server) {
	web := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}, Timeout: 10 * time.Second}
	defer web.CloseIdleConnections()
	for i := 0; !isDone(done); i++ {
		n, target := 1, "/v1/uid"
		if i%4 == 3 {
			n = 1 + i%40
			target = "/v1/uids?n=" + strconv.Itoa(n)
		}
		answer, err := web.Get("http://" + s.Addr(0) + target)
		if err != nil {
			c.failed("HTTP: the connection fails")
			continue
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		switch {
		case err != nil:
			c.failed("HTTP: an answer is cut off")
		case answer.StatusCode == http.StatusServiceUnavailable:
			c.failed("HTTP: 503")
		case answer.StatusCode != http.StatusOK:
			c.surprised("%s: %s: %s", target, answer.Status, body)
		default:
			c.read(target, n, body)
		}
	}
}

// read reads an answer with n UIDs.
func (c *client) read(target string, n int, body []byte) {
	var answer struct {
		UID  string
		UIDs []string
	}
	err := json.Unmarshal(body, &answer)
	if answer.UID != "" {
		answer.UIDs = append(answer.UIDs, answer.UID)
	}
	if err != nil || len(answer.UIDs) != n {
		c.surprised("%s: %v, %d UIDs: %.100s", target, err, len(answer.UIDs), body)
		return
	}
	for _, text := range answer.UIDs {
		u, err := strconv.ParseInt(text, 10, 64)
		if err != nil || u <= 0 {
			c.surprised("%s: %.100s", target, text)
			return
		}
		c.uids = append(c.uids, u)
	}
}

// dial returns a client library's client with one connection.
func dial(s *cluster.Server) *redis.Client {
	silent := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewClient(&redis.Options{Addr: s.Addr(1), PoolSize: 1, MaintNotificationsConfig: silent})
}

// overRedis draws UIDs in pipelines.
func overRedis(done <-chan struct{}, c *client, s *cluster.Server) {
	c.pipelines(done, s, func(p redis.Pipeliner, _ int) { p.Incr(context.Background(), "uid") },
		func(_ int, u int64) { c.uids = append(c.uids, u) })
}

// numbersOverRedis draws numbers of the tag in pipelines: one by one, and some in a row.
func numbersOverRedis(done <-chan struct{}, c *client, s *cluster.Server) {
	c.pipelines(done, s, func(p redis.Pipeliner, i int) { p.IncrBy(context.Background(), tag, int64(1+i%3)) },
		func(i int, last int64) {
			for n := last - int64(i%3); n <= last; n++ {
				c.numbers = append(c.numbers, n)
			}
		})
}

// pipelines sends pipelines of commands until done. add adds the command with a number, and got gets its answer.
func (c *client) pipelines(done <-chan struct{}, s *cluster.Server, add func(p redis.Pipeliner, i int),
	got func(i int, n int64)) {
	r := dial(s)
	defer func() { _ = r.Close() }()
	for !isDone(done) {
		pipe := r.Pipeline()
		for i := range pipelined {
			add(pipe, i)
		}
		answers, _ := pipe.Exec(context.Background()) // each answer has its own error
		for i, a := range answers {
			if n, ok := c.integer(a); ok {
				got(i, n)
			}
		}
	}
}

// integer returns the answer to a command.
func (c *client) integer(a redis.Cmder) (int64, bool) {
	n, err := a.(*redis.IntCmd).Result()
	var said redis.Error
	switch {
	case err == nil && n > 0:
		return n, true
	case err == nil:
		c.surprised("%v", a)
	case errors.As(err, &said) && strings.HasPrefix(err.Error(), "ERR "):
		c.failed("Redis: an error is answered")
	case errors.As(err, &said):
		c.surprised("%v", err)
	default:
		c.failed("Redis: the connection fails")
	}
	return 0, false
}
