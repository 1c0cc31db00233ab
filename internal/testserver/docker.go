package testserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// docker runs servers in containers, with their data in a folder of this machine.
type docker struct{ path string }

const (
	dockerImage = "mariadb:lts"
	dockerPort  = 3306
	dockerLimit = 20 * time.Second // for a command that starts nothing
)

func findDocker() (*docker, error) {
	path, err := exec.LookPath("docker")
	if err != nil {
		return nil, errors.New("not on the PATH")
	}
	d := &docker{path}
	if d.do("version", "--format", "{{.Server.Version}}") != nil {
		return nil, errors.New("no daemon answers")
	}
	return d, nil
}

func (d *docker) prepare(data string) error { return os.Mkdir(data, 0o700) }

func (d *docker) String() string {
	return "containers of " + dockerImage + ", for want of a mariadbd or mysqld; the first start pulls the image"
}

// untilEOF runs the server until standard input closes, which happens when the test
// process ends. Without it a container would outlive a killed client.
const untilEOF = `exec 3<&0
docker-entrypoint.sh mariadbd "$@" 3<&- & server=$!
trap 'kill $server' TERM
(cat >/dev/null; kill -9 $server) <&3 2>/dev/null &
exec 3<&-
while kill -0 $server 2>/dev/null; do wait $server; done`

func (d *docker) command(data string, port int, args []string) (*exec.Cmd, string) {
	cmd := exec.Command(d.path, "run", "--rm", "-i", "--init", "--name", d.name(data),
		"--user", fmt.Sprintf("%d:%d", os.Geteuid(), os.Getegid()),
		"--volume", data+":/var/lib/mysql",
		"--publish", "127.0.0.1:"+strconv.Itoa(port)+":"+strconv.Itoa(dockerPort),
		"--env", "MARIADB_ALLOW_EMPTY_ROOT_PASSWORD=1", "--env", "MARIADB_ROOT_HOST=%",
		"--entrypoint", "sh", dockerImage, "-c", untilEOF, "sh")
	cmd.Args = append(cmd.Args, args...)
	_, _ = cmd.StdinPipe() // open until the process ends
	return cmd, readyText(dockerPort)
}

func (d *docker) terminate(cmd *exec.Cmd) error { return d.do("stop", nameOf(cmd)) }
func (d *docker) kill(cmd *exec.Cmd) error      { return d.do("kill", nameOf(cmd)) }

// name is the container's name: that of the instance's folder.
func (d *docker) name(data string) string { return filepath.Base(filepath.Dir(data)) }

// nameOf returns the container's name, the argument after "--name".
func nameOf(cmd *exec.Cmd) string { return cmd.Args[6] }

func (d *docker) do(args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), dockerLimit)
	defer cancel()
	if out, err := exec.CommandContext(ctx, d.path, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("testserver: docker %s: %w: %s", args[0], err, out)
	}
	return nil
}
