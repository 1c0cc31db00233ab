-- The same table as on MySQL.
CREATE TABLE IF NOT EXISTS `leaf_alloc_takers` (
  biz_tag VARCHAR(128) NOT NULL PRIMARY KEY,
  nonce   VARCHAR(26)  NOT NULL,
  takers  TEXT         NOT NULL
)
