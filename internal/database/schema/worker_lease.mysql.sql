-- One row for each worker ID that was ever leased in a namespace, and one with
-- WORKER_ID -1 that every acquisition locks first. Times are microseconds since 1970
-- UTC by the server's clock, ticks are those of the layout. Names are compared byte
-- by byte. No key is generated: AUTO_INCREMENT and its settings have no part in this.
CREATE TABLE IF NOT EXISTS `WORKER_LEASE` (
  NAMESPACE   VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'worker IDs are unique within one',
  WORKER_ID   BIGINT       NOT NULL COMMENT 'worker ID; -1: the row that acquisitions lock',
  NONCE       VARCHAR(32)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'names the owner and its newest renewal; empty: released',
  HIGH        BIGINT       NOT NULL COMMENT 'last tick that anyone may have used',
  LEASE_UNTIL BIGINT       NOT NULL COMMENT 'end of the lease',
  LAYOUT      VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'layout of the UIDs',
  HOLDER      VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'who, for people',
  ACQUIRED    BIGINT       NOT NULL COMMENT 'start of the lease',
  RENEWED     BIGINT       NOT NULL COMMENT 'last change',
  HISTORY     VARCHAR(190) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in row -1: what the server remembered when the row was written',
  PRIMARY KEY (NAMESPACE, WORKER_ID),
  KEY LEASE_END (NAMESPACE, LEASE_UNTIL)
) ENGINE = InnoDB COMMENT = 'leased worker IDs of UID generators'
