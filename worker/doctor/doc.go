// Package doctor examines a database for what can harm workers: settings that lose commits or
// waste IDs, replication, clocks, rights, the tables and their rows. [Check] returns what it
// finds, why that matters and what to do about it.
package doctor
