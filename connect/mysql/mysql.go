// Package mysql lets package connect open mysql:// and mariadb:// URLs: MySQL, MariaDB, Galera and TiDB. A
// program imports it for its init function alone. The parameters of its URLs are those of the driver's DSNs,
// and namespace and ids.
package mysql

import _ "github.com/uidgen/uid/internal/scheme/mysql" // which registers itself
