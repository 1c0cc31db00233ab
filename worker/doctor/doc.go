// Package doctor examines a database for what would bite workers: settings that lose
// commits or burn IDs, replication, clocks, rights, the tables and what is in them.
package doctor
