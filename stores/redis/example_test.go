package redis_test

import (
	"context"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores/redis"
)

// A generator whose worker ID is leased from Redis. The first start ever makes the namespace, and
// waits five minutes since it cannot know that nobody has an ID; uid worker init spares that.
func Example() {
	client := goredis.NewUniversalClient(&goredis.UniversalOptions{
		Addrs: []string{"redis-1:26379", "redis-2:26379", "redis-3:26379"}, MasterName: "main", // through Sentinel
		Username: "uid", Password: "from your secrets",
	})
	defer client.Close()
	generator, err := cached.New(redis.Lease(client, "orders"), cached.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer generator.Close()
	u, err := generator.GetUID()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(u)
}

// A program that knows nothing of this package, and one that takes a hundred numbers, draw from
// the same counter.
func ExampleStore_Segments() {
	ctx := context.Background()
	client := goredis.NewClient(&goredis.Options{Addr: "localhost:6379"})
	defer client.Close()
	n, err := client.Incr(ctx, "uid:segment:{invoices}").Result()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(n)

	store, err := redis.New(client, redis.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	segments := store.Segments()
	lossy, err := segments.Inspect(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, why := range lossy {
		fmt.Println("numbers may come twice:", why)
	}
	g, err := segment.New(segments, "invoices", segment.Config{Create: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	hundred := make([]uid.UID, 100)
	if _, err := g.Fill(hundred); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(hundred[0], "to", hundred[99])
}
