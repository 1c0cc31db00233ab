package subject

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Redis returns a counter kept in Redis.
func Redis(client func() (*redis.Client, error)) Subject {
	return Subject{
		Name: "redis-incr", Label: "Redis, INCR", Kind: Server, Bits: 63, Shared: true,
		Open: func() (Source, error) {
			c, err := client()
			return incrs{client: c}, err
		},
	}
}

type incrs struct {
	client *redis.Client
	nothingToClose
}

func (s incrs) Drawer() Drawer { return s }

func (s incrs) next() (uint64, error) {
	n, err := s.client.Incr(context.Background(), "bench").Result()
	return uint64(n), err
}

func (s incrs) Draw(n int) error {
	for range n {
		if _, err := s.next(); err != nil {
			return err
		}
	}
	return nil
}

func (s incrs) Keys(dst []Key) (err error) {
	for i := range dst {
		if dst[i][0], err = s.next(); err != nil {
			return err
		}
	}
	return nil
}
