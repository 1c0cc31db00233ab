package measure

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uidgen/uid/benchmarks/server"
	"github.com/uidgen/uid/benchmarks/subject"
)

var (
	profile  = flag.String("profile", "smoke", "how much is measured: full, quick or smoke")
	p        Profile
	servers  = server.Set{Say: say}
	subjects = append(subject.Local(), subject.Served(servers.MariaDB, servers.Redis)...)
)

// TestMain describes where and how the results come about: the machine by its parts alone, without
// its name.
func TestMain(m *testing.M) {
	flag.Parse()
	profiles := map[string]func() Profile{"full": Full, "quick": Quick, "smoke": Smoke}
	if profiles[*profile] == nil {
		fmt.Fprintln(os.Stderr, "-profile: there are full, quick and smoke")
		os.Exit(2)
	}
	p = profiles[*profile]()
	_ = flag.Set("test.benchtime", "1x") // each measurement knows for how long it measures
	if pattern := flag.Lookup("test.bench").Value.String(); pattern != "" {
		say("cores", runtime.NumCPU())
		say("gomaxprocs", runtime.GOMAXPROCS(0))
		say("go", runtime.Version())
		say("date", time.Now().UTC().Format(time.DateOnly))
		say("command", fmt.Sprintf("go test ./measure -bench '%s' -profile %s", pattern, *profile))
		say("profile", *profile)
		say("rounds", p.Rounds)
		list := []string{"list", "-m"}
		for _, s := range subjects {
			if s.Kind == subject.Peer && !slices.Contains(list, s.Module) {
				list = append(list, s.Module)
			}
		}
		peers, err := exec.Command("go", list...).Output()
		if err != nil {
			fmt.Fprintf(os.Stderr, "go list -m: %v\n", err)
			os.Exit(1)
		}
		say("peers", strings.Join(strings.Fields(strings.ReplaceAll(string(peers), " ", "@")), " "))
	}
	code := m.Run()
	servers.Stop()
	os.Exit(code)
}

// say writes a line of the configuration.
func say(key string, value any) { fmt.Printf("%s: %v\n", key, value) }

func BenchmarkScale(b *testing.B)         { inRounds(b, p.Rounds, scale(p, subjects)) }
func BenchmarkLatency(b *testing.B)       { inRounds(b, p.Rounds, latency(p, subjects)) }
func BenchmarkLatencyMerged(b *testing.B) { allRounds(b) }
func BenchmarkAllocations(b *testing.B)   { inRounds(b, p.Rounds, allocations(subjects)) }
func BenchmarkMemory(b *testing.B)        { inRounds(b, p.Rounds, memory(subjects)) }
func BenchmarkIdle(b *testing.B)          { idle(b, p, subjects) }
func BenchmarkLead(b *testing.B)          { inRounds(b, p.Rounds, lead(p)) }

func BenchmarkPaced(b *testing.B) {
	cells, closeAll := paced(p, subjects)
	inRounds(b, p.Rounds, cells)
	if err := closeAll(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkPacedMerged(b *testing.B)    { allRounds(b) }
func BenchmarkFairness(b *testing.B)       { inRounds(b, p.Rounds, fairness(p)) }
func BenchmarkFairnessMerged(b *testing.B) { allRounds(b) }
func BenchmarkUnique(b *testing.B)         { inRounds(b, p.UniqueRounds, unique(p, subjects)) }
func BenchmarkInsert(b *testing.B)         { inRounds(b, p.Rounds, insert(p, servers.MariaDB)) }
