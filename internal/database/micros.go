package database

import "time"

// Micros is a time in microseconds since 1970 UTC, which both dialects keep and compare alike.
type Micros int64

// Time returns m in UTC.
func (m Micros) Time() time.Time { return time.UnixMicro(int64(m)).UTC() }
