package redis

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/worker"
)

// A reply is an error that a server answers: what it means, and whether it may pass.
type reply struct {
	transient bool
	means     string
}

// replies are the errors of servers, by their first word.
var replies = map[string]reply{
	"READONLY":    {true, "it is a replica; the primary one may be about to change"},
	"LOADING":     {true, "it is reading its data after a start"},
	"MASTERDOWN":  {true, "it is a replica without its primary"},
	"CLUSTERDOWN": {true, "the cluster has no server for these keys at the moment"},
	"TRYAGAIN":    {true, "the keys are being moved to another server of the cluster"},
	"MOVED":       {true, "another server of the cluster has the keys; a client of one server cannot follow"},
	"ASK":         {true, "another server of the cluster has the keys; a client of one server cannot follow"},
	"BUSY":        {true, "it is running another script"},
	"OOM":         {true, "it has no memory left for writes (maxmemory)"},
	"MISCONF":     {true, "it takes no writes since it cannot save them to disk"},
	"NOREPLICAS":  {true, "it takes no writes since too few replicas follow it (min-replicas-to-write)"},
	"MAXCLIENTS":  {true, "it has too many clients"},
	"UNKILLABLE":  {true, "it is running another script"},
	"NOAUTH":      {false, "it wants a password, or a user and a password"},
	"WRONGPASS":   {false, "the user or the password is wrong, or the user is switched off"},
	"NOPERM":      {false, "this account may not use a command or a key that leases need; the package lists them"},
	"DENIED":      {false, "it refuses connections from here (protected mode)"},
	"WRONGTYPE":   {false, "a key of leases holds something else"},
	"CROSSSLOT":   {false, "the keys of a namespace are not in one slot"},
	"NOSCRIPT":    {false, "it does not keep scripts"},
	"NOHISTORY": {false, "INFO does not show run_id and master_replid, by which a restart and a failover are " +
		"noticed"},
}

// failed returns an error in words of this package: a server, or what is between, may repeat a
// password in its own.
func failed(err error) error {
	if err == nil {
		return nil
	}
	for _, cause := range []error{context.DeadlineExceeded, context.Canceled} {
		if errors.Is(err, cause) {
			return worker.Transient(fmt.Errorf("redis: gave up: %w", cause))
		}
	}
	if answered, ok := errors.AsType[redis.Error](err); ok {
		return refused(answered.Error())
	}
	if said := safe(err); said != "" {
		if dial, is := errors.AsType[*net.OpError](err); is && dial.Op == "dial" && !dial.Timeout() {
			return worker.Unreachable(fmt.Errorf("redis: %s", said))
		}
		return worker.Transient(fmt.Errorf("redis: %s", said))
	}
	switch _, unverified := errors.AsType[*tls.CertificateVerificationError](err); {
	case errors.Is(err, redis.ErrClosed):
		return fmt.Errorf("redis: the client is closed")
	case unverified || isCertificate(err):
		return fmt.Errorf("redis: the server's certificate is not valid")
	}
	return worker.Transient(fmt.Errorf("redis: the client failed (%T)", err))
}

// refused returns the error of a server's answer.
func refused(text string) error {
	code := codeOf(text)
	r, known := replies[code]
	if !known {
		return fmt.Errorf("redis: the server answered %s", code)
	}
	err := fmt.Errorf("redis: the server answered %s: %s", code, r.means)
	if r.transient {
		return worker.Transient(err)
	}
	return err
}

// codeOf returns the first word of a server's error. Before version 7 the errors of commands in
// scripts are within another.
func codeOf(text string) string {
	code, _, _ := strings.Cut(text, " ")
	if _, known := replies[code]; known {
		return code
	}
	switch {
	case strings.Contains(text, "max number of clients reached"):
		return "MAXCLIENTS"
	case strings.Contains(text, "ACL failure in script"), strings.Contains(text, "The user executing the script can't"):
		return "NOPERM"
	}
	for word := range strings.FieldsSeq(text) {
		if word, is := strings.CutPrefix(word, "-"); is {
			if _, known := replies[word]; known {
				return word
			}
		}
	}
	noLetter := func(c rune) bool { return c < 'A' || c > 'Z' }
	if code == "" || len(code) > 20 || strings.ContainsFunc(code, noLetter) {
		return "an error that is not known"
	}
	return code
}

// safe returns what happened to a connection, in words that hold no secret, or "".
func safe(err error) string {
	if e, ok := errors.AsType[*net.OpError](err); ok && !isCertificate(err) {
		if e.Timeout() {
			return e.Op + ": no answer in time"
		}
		if e.Addr != nil {
			return fmt.Sprintf("%s %s: %v", e.Op, e.Addr, e.Err)
		}
		return fmt.Sprintf("%s: %v", e.Op, e.Err)
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return "no answer in time"
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was lost"
	case errors.Is(err, redis.ErrPoolTimeout), errors.Is(err, redis.ErrPoolExhausted):
		return "the client has no free connection"
	case strings.HasPrefix(err.Error(), "redis: all sentinels"):
		return "no Sentinel tells which server is the primary one"
	}
	return ""
}

func isCertificate(err error) bool {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, host := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	return unknown || host || invalid
}
