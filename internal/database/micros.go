package database

import "time"

// Micros is a time in microseconds since 1970 UTC, which both dialects keep and compare alike.
type Micros int64

// Time returns m in UTC.
func (m Micros) Time() time.Time { return time.UnixMicro(int64(m)).UTC() }

// Add returns m + d, cut to microseconds.
func (m Micros) Add(d time.Duration) Micros { return m + Micros(d.Microseconds()) }

// Sub returns m - n.
func (m Micros) Sub(n Micros) time.Duration { return time.Duration(m-n) * time.Microsecond }

func (m Micros) String() string { return m.Time().Format("2006-01-02T15:04:05.000Z07:00") }
