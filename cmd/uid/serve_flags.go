package main

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// off stands for no listener.
const off = "off"

// addressFlag is an address to listen on.
type addressFlag struct{ value *string }

func (f *addressFlag) Set(text string) error {
	if text != off {
		host, port, err := net.SplitHostPort(text)
		_, portErr := strconv.ParseUint(port, 10, 16)
		if err != nil || portErr != nil || strings.ContainsAny(host, "@/ ") {
			return errors.New("it is neither HOST:PORT, such as 127.0.0.1:7077 or :7077, nor off")
		}
	}
	*f.value = text
	return nil
}

func (f *addressFlag) String() string {
	if f.value == nil {
		return ""
	}
	return *f.value
}

func (*addressFlag) Type() string { return "ADDR" }

// fileFlag is the name of a file.
type fileFlag struct{ value *string }

func (f *fileFlag) Set(text string) error {
	if text == "" {
		return errors.New("it is empty")
	}
	*f.value = text
	return nil
}

func (*fileFlag) String() string { return "" }
func (*fileFlag) Type() string   { return "FILE" }

// idFlag is a worker ID that may not be given.
type idFlag struct {
	id  int64
	set bool
}

func (f *idFlag) Set(text string) error {
	id, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return fmt.Errorf("%.40q is no worker ID", text)
	}
	f.id, f.set = int64(id), true
	return nil
}

func (*idFlag) String() string { return "" }
func (*idFlag) Type() string   { return "N" }
