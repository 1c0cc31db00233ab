// Package redis tests the store in Redis on real servers.
package redis
