package drivertest

import (
	"github.com/uidgen/uid/internal/suite"
)

type probe struct {
	*suite.Probe
	Subject
}

var checks []suite.Check[*probe]
