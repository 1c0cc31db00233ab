package promise

import (
	"testing"

	"github.com/uidgen/uid/test/kit"
)

func TestMain(m *testing.M) { kit.Main(m, 6) }
