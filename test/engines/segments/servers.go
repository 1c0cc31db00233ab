package main

import (
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// A serverKiller kills servers, leaders above all, and starts them again, while others do the same
// to the processes.
type serverKiller struct {
	*run
	random *rand.Rand

	rounds         atomic.Int64 // that are over
	stop           atomic.Bool
	over           chan struct{} // closed when it has ended, and what follows is set; nil if it never began
	kills, leaders int
	err            error
}

// begin begins some rounds of kills.
func (k *serverKiller) begin(rounds int) {
	k.over = make(chan struct{})
	go func() {
		defer close(k.over)
		for round := 0; round < rounds && k.err == nil && !k.stop.Load(); round++ {
			k.err = k.round(round)
			k.rounds.Add(1)
		}
	}()
	k.Cleanup(func() { k.stop.Store(true); <-k.over })
}

// await waits for the end of all rounds.
func (k *serverKiller) await() error {
	if k.over != nil {
		<-k.over
	}
	return k.err
}

// round kills some servers, or all of them, and starts them again.
func (k *serverKiller) round(round int) error {
	k.idle(400 * time.Millisecond)
	victims, err := k.d.Victims(k.random, round, true)
	if err != nil {
		return err
	}
	for _, i := range victims {
		k.d.Nodes[i].Kill()
	}
	k.kills += len(victims)
	before := k.takes()
	if some := victims[0]; len(victims) < len(k.d.Nodes) { // the others go on
		if k.d.Leader != nil && round%2 == 0 {
			k.leaders++
		}
		k.net.Avoid(some, true)
		k.awaitTakes(before)
		err = k.d.Nodes[some].Restart()
		k.net.Avoid(some, false)
	} else {
		k.idle(200 * time.Millisecond)
		err = k.d.Revive()
	}
	if err != nil {
		return err
	}
	k.awaitTakes(k.takes())
	return nil
}

// awaitTakes waits until numbers are taken again, but not for long: all processes may have plenty.
func (k *serverKiller) awaitTakes(before int64) {
	for began := time.Now(); k.takes() == before && time.Since(began) < 5*time.Second && !k.stop.Load(); {
		time.Sleep(5 * time.Millisecond)
	}
}

func (k *serverKiller) idle(most time.Duration) {
	time.Sleep(time.Duration(k.random.Int64N(int64(most))))
}
