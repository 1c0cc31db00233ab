package segment

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
)

// A Daily makes order numbers: a day, and a number that starts anew with 1 each day. Any number of goroutines may call
// its methods at once.
//
// Each day has a tag and a row of its own, name/20261122, which stays. So order numbers are unique whatever clocks do.
type Daily struct {
	name string
	zone *time.Location
	now  func() time.Time
	days *Registry

	mu    sync.Mutex
	today time.Time // the latest day, at midnight in UTC; zero before the first call
}

// NewDaily returns a Daily for a name, with the days of a zone, the same in all processes; nil is UTC. It sets Create,
// and does not touch the store. It returns [uid.ErrConfig] or [uid.ErrRange] when a setting or the name cannot be used:
// with a slash and eight digits it must be a tag (see [New]).
func NewDaily(s Store, name string, zone *time.Location, cfg Config) (*Daily, error) {
	cfg.Create = true
	days, err := NewRegistry(s, cfg)
	if err != nil {
		return nil, err
	}
	if zone == nil {
		zone = time.UTC
	}
	d := &Daily{name: name, zone: zone, now: days.cfg.Now, days: days}
	if name == "" {
		return nil, fmt.Errorf("segment: %w: the name is empty", uid.ErrConfig)
	}
	if err := storage.CheckTag(d.tag(0)); err != nil {
		return nil, fmt.Errorf("segment: %w", err)
	}
	return d, nil
}

// Next returns the next order number of today. It waits and fails as [Generator.GetUIDContext] does, and returns
// [uid.ErrRange] when the clock's year is not within 1 and 9999.
func (d *Daily) Next(ctx context.Context) (OrderNumber, error) {
	year, month, day := d.now().In(d.zone).Date()
	if year < 1 || year > 9999 {
		return OrderNumber{}, fmt.Errorf("segment: %w: the clock shows the year %d, want 1 to 9999", uid.ErrRange, year)
	}
	date := year*10000 + int(month)*100 + day
	for {
		g, err := d.days.Get(d.tag(date))
		if err != nil {
			return OrderNumber{}, err
		}
		d.turn(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
		u, err := g.GetUIDContext(ctx)
		if errors.Is(err, uid.ErrClosed) {
			continue // another day's call has ended the generator: get another one
		}
		if err != nil {
			return OrderNumber{}, err
		}
		return OrderNumber{Day: date, N: int64(u)}, nil
	}
}

func (d *Daily) tag(date int) string { return fmt.Sprintf("%s/%08d", d.name, date) }

// turn ends the generator of the day before when the first call of a day comes. A call that is late, or
// whose clock is a day behind, ends none: two days could otherwise end each other's again and again.
func (d *Daily) turn(today time.Time) {
	d.mu.Lock()
	before := d.today
	later := today.After(before) || before.Sub(today) > 24*time.Hour
	if later {
		d.today = today
	}
	d.mu.Unlock()
	if later && !before.IsZero() {
		go d.forget(d.tag(before.Year()*10000 + int(before.Month())*100 + before.Day()))
	}
}

// forget gives back what is left of a day.
func (d *Daily) forget(tag string) {
	ctx, cancel := context.WithTimeout(context.Background(), d.days.cfg.Timeout)
	defer cancel()
	if err := d.days.Forget(ctx, tag); err != nil {
		d.days.cfg.Logger.Warn("uid: numbers of another day are skipped", "tag", tag, "error", err)
	}
}

// Close closes the generators of all days; see [Registry.Close].
func (d *Daily) Close() error { return d.days.Close() }

// CloseContext is Close with a context; see [Registry.CloseContext].
func (d *Daily) CloseContext(ctx context.Context) error { return d.days.CloseContext(ctx) }

// An OrderNumber is a day and a number within it.
type OrderNumber struct {
	Day int // 20261122 for 22 November 2026
	N   int64
}

// String returns the day and the number with at least six digits: 20261122-000042.
func (n OrderNumber) String() string { return n.Text(6) }

// Text returns the day and the number with at least so many digits. Texts of equal length sort as numbers.
func (n OrderNumber) Text(digits int) string { return fmt.Sprintf("%08d-%0*d", n.Day, digits, n.N) }

// ParseOrderNumber reads what Text has written. It returns [uid.ErrSyntax] for any other text.
func ParseOrderNumber(text string) (OrderNumber, error) {
	day, number, ok := strings.Cut(text, "-")
	d, err := strconv.ParseUint(day, 10, 31)
	n, err2 := strconv.ParseUint(number, 10, 63)
	if !ok || len(day) != 8 || err != nil || err2 != nil || number[0] == '+' {
		return OrderNumber{}, fmt.Errorf("segment: %w: %.40q is no order number like 20261122-000042", uid.ErrSyntax,
			text)
	}
	if _, err := time.Parse("20060102", day); err != nil {
		return OrderNumber{}, fmt.Errorf("segment: %w: %.40q names a day that is none", uid.ErrSyntax, text)
	}
	return OrderNumber{Day: int(d), N: int64(n)}, nil
}
