package testserver

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// An engine is a way to run servers.
type engine interface {
	// prepare makes a data folder in which the account root has no password.
	prepare(data string) error
	// command returns the process to start, which stays in the foreground, and the text
	// that it prints when it accepts connections on the port.
	command(data string, port int, args []string) (cmd *exec.Cmd, ready string)
	String() string // says what it is
	terminate(*exec.Cmd) error
	kill(*exec.Cmd) error
}

// baseArgs suit MariaDB and MySQL from 5.7. A server ignores loose options that it does
// not know.
func baseArgs(durable bool) []string {
	args := []string{
		"--skip-log-bin",
		"--secure-file-priv=", // MySQL's default is a folder that only its package creates
		"--loose-performance-schema=0",
		"--loose-mysqlx=0",
		"--innodb-buffer-pool-size=16M",
		"--loose-innodb-log-file-size=8M",
		"--loose-innodb-redo-log-capacity=8M",
	}
	if !durable {
		// The settings that workers look at are those of a durable server.
		args = append(args, "--innodb-flush-method=nosync", "--innodb-doublewrite=0")
	}
	return args
}

var findEngine = sync.OnceValues(searchEngine)

func searchEngine() (engine, error) {
	if p := findServer(); p != nil {
		return p, nil
	}
	d, dockerErr := findDocker()
	if dockerErr == nil {
		return d, nil
	}
	aptErr := Install("mariadb-server", func() bool { return findServer() != nil })
	if aptErr == nil {
		if p := findServer(); p != nil {
			return p, nil
		}
		aptErr = errors.New("installed mariadb-server, which brought no server")
	}
	return nil, fmt.Errorf("testserver: no MariaDB or MySQL server to test with: %s is not set; no mariadbd or mysqld on the PATH or in %s; docker: %v; apt-get: %v; "+
		"install mariadb-server, or start Docker, or set %s to the DSN of a server to test on", Env, strings.Join(usualFolders, ", "), dockerErr, aptErr, Env)
}

// program runs a server that is installed on this machine.
type program struct{ path string }

func (p *program) String() string { return p.path + ", a private server for each package's tests" }

// usualFolders are where packages put servers, outside of most users' PATH.
var usualFolders = []string{"/usr/sbin", "/usr/local/sbin", "/usr/libexec", "/usr/local/mysql/bin", "/opt/homebrew/bin"}

func findServer() *program {
	for _, name := range []string{"mariadbd", "mysqld"} {
		if path := look(name, usualFolders...); path != "" {
			return &program{path}
		}
	}
	return nil
}

// look returns the path of a program on the PATH or in one of the folders, or "".
func look(name string, folders ...string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, folder := range folders {
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path
		}
	}
	return ""
}

func (p *program) prepare(data string) error {
	version, err := exec.Command(p.path, "--version").Output()
	if err != nil {
		return fmt.Errorf("testserver: %s --version: %w", p.path, err)
	}
	var cmd *exec.Cmd
	if strings.Contains(string(version), "MariaDB") {
		installer := ""
		for _, name := range []string{"mariadb-install-db", "mysql_install_db"} {
			if installer == "" {
				bin := filepath.Dir(p.path)
				installer = look(name, bin, filepath.Join(bin, "../bin"), filepath.Join(bin, "../scripts"))
			}
		}
		if installer == "" {
			return fmt.Errorf("testserver: there is %s, but no mariadb-install-db on the PATH or beside it", p.path)
		}
		cmd = exec.Command(installer, "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db")
	} else {
		cmd = exec.Command(p.path, "--no-defaults", "--initialize-insecure", "--datadir="+data)
	}
	cmd.Args = append(cmd.Args, asRoot()...)
	cmd.SysProcAttr = dieWithParent()
	if cmd.Env, err = ownTemp(data); err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("testserver: %s: %w:\n%s", cmd.Path, err, out)
	}
	return nil
}

// ownTemp returns an environment with a folder for temporary files beside the data: in a
// shared folder, a starting server removes the files of others.
func ownTemp(data string) ([]string, error) {
	temp := filepath.Join(filepath.Dir(data), "tmp")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return nil, fmt.Errorf("testserver: %w", err)
	}
	return append(os.Environ(), "TMPDIR="+temp), nil
}

// asRoot returns the option without which servers refuse to run as root.
func asRoot() []string {
	if os.Geteuid() == 0 {
		return []string{"--user=root"}
	}
	return nil
}

func (p *program) command(data string, port int, args []string) (*exec.Cmd, string) {
	all := []string{"--no-defaults", "--datadir=" + data, "--port=" + strconv.Itoa(port),
		"--bind-address=127.0.0.1",
		"--socket=s", "--pid-file=pid"} // both in the data folder: a socket's path must be short
	all = append(append(all, asRoot()...), args...)
	cmd := exec.Command(p.path, all...)
	cmd.Env, _ = ownTemp(data) // prepare has made it
	return cmd, readyText(port)
}

// readyText is part of the line, with the version, that a server prints when it is ready.
// MySQL's initial start by a container's script has port 0 there.
func readyText(port int) string { return fmt.Sprintf("port: %d ", port) }

func (p *program) terminate(cmd *exec.Cmd) error { return cmd.Process.Signal(syscall.SIGTERM) }
func (p *program) kill(cmd *exec.Cmd) error      { return cmd.Process.Kill() }
