package subject

import (
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bwmarrin/snowflake"
	"github.com/rs/xid"
	"github.com/stretchr/testify/require"
)

// TestLocal: each subject draws, from several goroutines, IDs whose keys differ. Two sources may be
// open at the same time, as they are when memory is measured.
func TestLocal(t *testing.T) {
	for _, s := range Local() {
		t.Run(s.Name, func(t *testing.T) {
			require.NotEmpty(t, s.Label)
			require.Positive(t, s.Bits)
			require.Equal(t, s.Sustained > 0, s.Beyond != Nothing)
			src, other := must(s.Open()), must(s.Open())
			require.NoError(t, DrawerOf(other).Draw(1))
			keys, err := Distinct(src, 4, 100)
			require.NoError(t, err)
			require.NoError(t, Close(src))
			require.NoError(t, DrawerOf(other).Draw(1))
			require.NoError(t, Close(other))
			if s.Name != timeNow.Name { // a reading of the clock is no ID
				require.Len(t, keys, 4*100)
			}
		})
	}
}

// TestNames: no two subjects have the same name or label, and those with a server can count its
// round trips.
func TestNames(t *testing.T) {
	all := append(Local(), Served(nil, nil)...)
	names, labels := make(map[string]bool), make(map[string]bool)
	for _, s := range all {
		require.Regexp(t, regexp.MustCompile(`^[a-z0-9-]+$`), s.Name)
		names[s.Name], labels[s.Label] = true, true
		require.Equal(t, s.Engine != NoEngine, s.Trips != nil, s.Name)
	}
	require.Len(t, names, len(all))
	require.Len(t, labels, len(all))
}

// TestSnowflakeBits: the library's settings are its package's, and have to be those of
// the subject when a node is made.
func TestSnowflakeBits(t *testing.T) {
	wide, usual := must(snowflake16.Open()), must(snowflakeDefault.Open())
	require.EqualValues(t, 7, wide.(flakes).Generate()>>16&(1<<6-1))
	require.EqualValues(t, 7, usual.(flakes).Generate()>>12&(1<<10-1))
	require.EqualValues(t, 12, snowflake.StepBits)
	require.Equal(t, float64(1<<12*1000), snowflakeDefault.Sustained)
	require.Equal(t, float64(1<<16*1000), snowflake16.Sustained)
}

// TestLoopsAreInlined: the compiler puts each and keep, and what they are given, into the methods
// that call them; else it would be their calls that are measured.
func TestLoopsAreInlined(t *testing.T) {
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	require.NoError(t, err, string(out))
	inlined := regexp.MustCompile(`(?m)^.*inlining call to (each|keep|.*\.(Draw|Keys)\..*)$`)
	said := strings.Join(inlined.FindAllString(string(out), -1), "\n")
	loops := 0
	for _, file := range must(filepath.Glob("*.go")) {
		for i, line := range strings.Split(string(must(os.ReadFile(file))), "\n") {
			if strings.HasSuffix(file, "_test.go") || !regexp.MustCompile(`\breturn (each|keep)\(`).MatchString(line) {
				continue
			}
			loops++
			at := fmt.Sprintf(`(?m)\b%s:%d:\d+: inlining call to `, regexp.QuoteMeta(file), i+1)
			require.Regexp(t, at+"(each|keep)$", said, line)
			require.Regexp(t, at+`.*\.(Draw|Keys)\.`, said, line)
		}
	}
	require.Greater(t, loops, 40)
}

// TestXidCounter: the counter comes back to where it was after as many IDs as it has
// values, whatever the second.
func TestXidCounter(t *testing.T) {
	first := xid.New().Counter()
	for range int(xidNew.Sustained) - 1 {
		xid.New()
	}
	require.Equal(t, first, xid.New().Counter())
}

func TestKey21(t *testing.T) {
	seen := make(map[Key]bool)
	for at := range 21 {
		for _, c := range []byte(alphabet) {
			s := []byte("AAAAAAAAAAAAAAAAAAAAA")
			s[at] = c
			k := key21(string(s))
			require.LessOrEqual(t, bits.OnesCount64(k[0])+bits.OnesCount64(k[1]), 6)
			seen[k] = true
		}
	}
	require.Len(t, seen, 21*63+1)
}

// must returns what a call has that the test cannot go on without.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
