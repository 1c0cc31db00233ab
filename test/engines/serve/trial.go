package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/uidgen/uid/test/engines/cluster"
)

// What a run has to do.
const (
	leastUIDs    = 1_000_000 // over each protocol
	leastNumbers = 100_000
)

var kills = plan{servers: 20, databases: 5, between: time.Second}

// disturbed draws while servers and the database are killed.
func disturbed(command string, db *cluster.MySQL) error {
	store := db.URL(db.Addr(0))
	if err := createTag(command, store); err != nil {
		return err
	}
	servers, err := startServers(command, store, nil, nil)
	if err != nil {
		return err
	}
	defer closeAll(servers)
	began := time.Now()
	var faults error
	v := while(servers, func(drawn func() bool) {
		faults = disturb(kills, servers, db)
		for faults == nil && !drawn() && time.Since(began) < 2*time.Minute {
			time.Sleep(100 * time.Millisecond)
		}
	})
	fmt.Printf("servers killed %d times, the database %d times, in %.0f s:\n", kills.servers, kills.databases, time.Since(began).Seconds())
	v.write(os.Stdout)
	if faults != nil {
		return faults
	}
	if err := v.err(leastUIDs, leastNumbers); err != nil {
		return err
	}
	return stop(servers)
}

// planted gives two servers one worker ID, and sees that the check finds it out.
func planted(command string, db *cluster.MySQL) error {
	same := func(state string) []string { return []string{"--worker-id", "7", "--state", state} }
	servers, err := startServers(command, db.URL(db.Addr(0)), same("one.state"), same("other.state"))
	if err != nil {
		return err
	}
	defer closeAll(servers)
	v := while(servers, func(func() bool) { time.Sleep(3 * time.Second) })
	fmt.Println("two servers with one worker ID:")
	v.write(os.Stdout)
	if v.doubleUIDs == 0 || v.err(0, 0) == nil {
		return fmt.Errorf("two servers with one worker ID issued %d UIDs, and no duplicate was found", v.uids)
	}
	return nil
}

// while has clients draw as long as f lasts. f can ask whether they have probably drawn enough.
func while(servers []*cluster.Server, f func(drawn func() bool)) verdict {
	done := make(chan struct{})
	var clients []*client
	var drawing sync.WaitGroup
	drawing.Go(func() { clients = draw(done, servers) })
	began := time.Now()
	f(func() bool { return time.Since(began) > 40*time.Second })
	close(done)
	drawing.Wait()
	return judge(clients)
}
