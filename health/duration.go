package health

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/uidgen/uid"
)

// A Duration is a time.Duration whose JSON is its number of seconds: 74.2.
type Duration struct{ time.Duration }

// MarshalJSON returns the number of seconds, with up to nine decimals.
func (d Duration) MarshalJSON() ([]byte, error) {
	n, text := uint64(d.Duration), ""
	if d.Duration < 0 {
		n, text = -n, "-"
	}
	text += strconv.FormatUint(n/1e9, 10)
	if part := n % 1e9; part != 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%09d", part), "0")
	}
	return []byte(text), nil
}

// UnmarshalJSON reads what MarshalJSON writes. It returns [uid.ErrSyntax] for all else, such as an exponent, and
// [uid.ErrRange] for more than 292 years. null changes nothing.
func (d *Duration) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	digits, negative := strings.CutPrefix(string(text), "-")
	whole, part, point := strings.Cut(digits, ".")
	if whole == "" || point && part == "" || len(part) > 9 || strings.Trim(whole+part, "0123456789") != "" {
		return fmt.Errorf("%w: %.40q is no number of seconds with up to nine decimals", uid.ErrSyntax, text)
	}
	most := uint64(math.MaxInt64)
	if negative {
		most++
	}
	n, err := strconv.ParseUint(strings.TrimLeft(whole, "0")+part+strings.Repeat("0", 9-len(part)), 10, 64)
	if err != nil || n > most {
		return fmt.Errorf("%w: %.40s seconds are above a duration's %d ns", uid.ErrRange, text, int64(math.MaxInt64))
	}
	d.Duration = time.Duration(n)
	if negative {
		d.Duration = time.Duration(-n)
	}
	return nil
}
