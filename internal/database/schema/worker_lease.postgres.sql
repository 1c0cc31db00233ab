-- The same table as on MySQL. There is no index on a column that a renewal changes, and a page has
-- room for the next version of its rows: so a renewal writes no index (it is a HOT update).
CREATE TABLE IF NOT EXISTS `worker_lease` (
  NAMESPACE   VARCHAR(64)  COLLATE "C" NOT NULL,
  WORKER_ID   BIGINT       NOT NULL,
  NONCE       VARCHAR(32)  COLLATE "C" NOT NULL,
  HIGH        BIGINT       NOT NULL,
  LEASE_UNTIL BIGINT       NOT NULL,
  LAYOUT      VARCHAR(255) COLLATE "C" NOT NULL,
  HOLDER      VARCHAR(128) COLLATE "C" NOT NULL,
  ACQUIRED    BIGINT       NOT NULL,
  RENEWED     BIGINT       NOT NULL,
  HISTORY     VARCHAR(190) COLLATE "C" NOT NULL,
  PRIMARY KEY (NAMESPACE, WORKER_ID)
) WITH (fillfactor = 80)
