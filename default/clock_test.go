package uncached

import "time"

// morning is when clocks start: on a boundary of every unit in these tests.
var morning = time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)
