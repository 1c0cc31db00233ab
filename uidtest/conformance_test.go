package uidtest_test

import (
	"testing"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/conformance"
	"github.com/uidgen/uid/uidtest"
)

func TestConformance(t *testing.T) {
	conformance.Every(t, func(testing.TB) uid.Generator { return uidtest.MustNew(uidtest.Config{WorkerID: 3}) })
}
