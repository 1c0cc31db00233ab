package serve

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
)

var block = regexp.MustCompile("(?s)```(sh|python|java|js)\n(.*?)```")

// The clients in the document draw from a server. Each language that this machine lacks is named.
func TestClientsInTheDocument(t *testing.T) {
	dir := t.TempDir()
	command, err := cluster.BuildCommand(dir)
	require.NoError(t, err)
	store := filepath.Join(dir, "uid.db")
	require.NoError(t, CreateTag(command, store))
	s, err := Start("uid serve", command, store)
	cluster.For(t, s, err)

	text, err := os.ReadFile(page)
	require.NoError(t, err)
	runs := map[string][]string{"sh": {"sh", "-ec"}, "python": {"python3", "-c"}, "java": {"java"},
		"js": {"node", "--input-type=module", "-e"}}
	seen := map[string]bool{}
	found := map[string]int{}
	for _, b := range block.FindAllStringSubmatch(string(text), -1) {
		language, program := b[1], b[2]
		found[language]++
		require.LessOrEqual(t, strings.Count(program, "\n"), 6, program)
		ports := strings.NewReplacer("127.0.0.1:7077", s.Addr(0), "-p 7078", fmt.Sprintf("-p %d", s.Port(1)))
		program = ports.Replace(program)
		run := runs[language]
		need := run[0]
		if strings.Contains(program, "redis-cli") {
			need = "redis-cli"
		}
		if _, err := exec.LookPath(need); err != nil {
			t.Logf("NOT RUN, since this machine has no %s: %s", need, program)
			continue
		}
		args := append(run[1:len(run):len(run)], program)
		if language == "java" {
			file := filepath.Join(dir, "Uids.java")
			require.NoError(t, os.WriteFile(file, []byte(program), 0o600))
			args = []string{file}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		out, err := exec.CommandContext(ctx, run[0], args...).Output()
		cancel()
		require.NoError(t, err, "%s\n%s", program, out)
		numbers := regexp.MustCompile(`\d+`).FindAllString(string(out), -1)
		require.GreaterOrEqual(t, len(numbers), 2, "%s\n%s", program, out)
		for _, n := range numbers {
			require.False(t, seen[n], "%s comes twice", n)
			seen[n] = true
		}
	}
	require.Equal(t, map[string]int{"sh": 2, "python": 1, "java": 1, "js": 1}, found)
}
