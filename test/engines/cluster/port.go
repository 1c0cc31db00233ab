package cluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Ports come from below the range of which systems take those of outgoing connections: else a
// client could get the port of a server that is down, which then could not come back. They come
// in blocks, each for one process, which listens on the block's first port as long as it lives:
// else another process could take the port of a server that is about to start.
const (
	firstPort, lastPort = 10000, 30000
	portBlock           = 50
)

var ports struct {
	mu        sync.Mutex
	blocks    []net.Listener // on the first port of each block of this process
	next, end int            // what is left of the last block
}

// freePort returns a port of the loopback interface that nobody listens on, and that no other
// call returns, of this process or another one.
func freePort() (int, error) {
	ports.mu.Lock()
	defer ports.mu.Unlock()
	for range 1000 {
		if ports.next == ports.end {
			first := firstPort + portBlock*rand.IntN((lastPort-firstPort)/portBlock)
			l, err := listen(first)
			if err != nil {
				continue
			}
			ports.blocks = append(ports.blocks, l)
			ports.next, ports.end = first+1, first+portBlock
		}
		port := ports.next
		ports.next++
		if l, err := listen(port); err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("cluster: no free port of the loopback interface")
}

func listen(port int) (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return l, nil
}
