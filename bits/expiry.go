package bits

import "time"

// Expiry says what a generator does as the end of its layout's time field comes near. The zero Expiry is the default.
type Expiry struct {
	// Refuse is how long before the layout's Expires a generator no longer starts. Zero stands for 30 days. Negative:
	// it starts as long as there is a tick left.
	Refuse time.Duration
	// Warn is how long before the layout's Expires a generator warns, when it starts and in its Health. Zero stands for
	// 365 days. Negative: it does not warn.
	Warn time.Duration
}
