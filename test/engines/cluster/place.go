package cluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// Ports come from below the range of which systems take those of outgoing connections: else a
// client could get the port of a server that is down, which then could not come back. They come
// in blocks, each for one process, which listens on the block's first port as long as it lives:
// else another process could take the port of a server that is about to start. A server's folder
// is named after a block of its process: where nobody listens on that, the process has ended, and
// left the folder behind.
const (
	firstPort, lastPort = 10000, 30000
	portBlock           = 50
	folderPrefix        = "uid-cluster-"
)

var ports struct {
	mu        sync.Mutex
	blocks    []net.Listener // on the first port of each block of this process
	next, end int            // what is left of the last block
}

// takePlace makes a temporary folder, and returns so many ports of the loopback interface that
// nobody listens on, and that no other call returns, of this process or another one.
func takePlace(count int) (dir string, free []int, err error) {
	ports.mu.Lock()
	defer ports.mu.Unlock()
	for tries := 0; len(free) < count || len(ports.blocks) == 0; tries++ {
		if tries == 1000 {
			return "", nil, errors.New("no free port of the loopback interface")
		}
		if ports.next == ports.end {
			takeBlock()
			continue
		}
		if l, err := listen(ports.next); err == nil {
			_ = l.Close()
			free = append(free, ports.next)
		}
		ports.next++
	}
	dir, err = os.MkdirTemp("", fmt.Sprint(folderPrefix, ports.end-portBlock, "-"))
	return dir, free, err
}

// takeBlock tries to take any block, and removes what is left of processes that have ended.
func takeBlock() {
	removeLeftovers()
	first := firstPort + portBlock*rand.IntN((lastPort-firstPort)/portBlock)
	if l, err := listen(first); err == nil {
		ports.blocks = append(ports.blocks, l)
		ports.next, ports.end = first+1, first+portBlock
	}
}

func removeLeftovers() {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	for _, folder := range folders {
		var block int
		if _, err := fmt.Sscanf(filepath.Base(folder), folderPrefix+"%d-", &block); err != nil {
			continue
		}
		if l, err := listen(block); err == nil {
			_ = os.RemoveAll(folder)
			_ = l.Close()
		}
	}
}

func listen(port int) (net.Listener, error) {
	return net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
}
