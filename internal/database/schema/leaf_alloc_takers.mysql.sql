-- Who has taken numbers of a tag last: what Leaf's table beside it has no place for. A tag of that
-- one without a row here is one of which only Leaf has taken.
CREATE TABLE IF NOT EXISTS `leaf_alloc_takers` (
  biz_tag VARCHAR(128)   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as in the other table, byte by byte',
  nonce   VARCHAR(26)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'names the last write',
  takers  VARCHAR(16000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'JSON; empty: none',
  PRIMARY KEY (biz_tag)
) ENGINE = InnoDB COMMENT = 'who took numbers last'
