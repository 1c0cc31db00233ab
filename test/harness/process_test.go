package harness

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

const env = "UID_PROCESS_TEST"

func TestMain(m *testing.M) {
	if name := os.Getenv(env); name != "" {
		fmt.Println("this is", name)
		_, _ = os.NewFile(3, "third").WriteString("up")
		AwaitQuit(4)
		fmt.Println("quits")
		os.Exit(5)
	}
	os.Exit(m.Run())
}

func TestProcess(t *testing.T) {
	for _, c := range []struct {
		end  func(*Process)
		says string
		code int
	}{
		{(*Process).Quit, "this is a child\nquits\n", 5},
		{(*Process).Kill, "this is a child\n", -1},
	} {
		third, child, err := os.Pipe()
		require.NoError(t, err)
		var said Tail
		p := must(Start(Program{Env: []string{env + "=a child"}, Files: []*os.File{child}, Output: &said}))
		require.NoError(t, child.Close())
		up := make([]byte, 2)
		_, err = third.Read(up)
		require.NoError(t, err)
		require.Equal(t, "up", string(up))
		require.NoError(t, third.Close())
		require.False(t, p.HasEnded())
		p.Pause()
		p.Resume()
		c.end(p)
		<-p.Done()
		require.True(t, p.HasEnded())
		require.Equal(t, c.code, p.State().ExitCode())
		require.Equal(t, c.says, said.String())
		require.False(t, p.Ended().Before(p.Began()))
	}
}
