-- The same table as on MySQL.
CREATE TABLE IF NOT EXISTS `leaf_alloc_takers` (
  biz_tag VARCHAR(128) COLLATE "C" NOT NULL PRIMARY KEY,
  nonce   VARCHAR(26)  COLLATE "C" NOT NULL,
  takers  TEXT         COLLATE "C" NOT NULL
) WITH (fillfactor = 50)
