// Package mysql lets package connect open mysql:// and mariadb:// URLs: MySQL, MariaDB, Galera and TiDB. Their
// parameters are those of the driver's DSNs, and namespace and ids.
package mysql

import _ "github.com/uidgen/uid/internal/scheme/mysql" // which registers itself
