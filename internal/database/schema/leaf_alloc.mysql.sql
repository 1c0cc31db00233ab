-- The table of Leaf, a generator of Meituan's: a row for each tag says how far its numbers have
-- been given out. Leaf itself runs on it, too. Tags are compared byte by byte, which Leaf leaves to
-- the database's default.
CREATE TABLE IF NOT EXISTS `leaf_alloc` (
  biz_tag     VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '' COMMENT 'the tag',
  max_id      BIGINT       NOT NULL DEFAULT 1 COMMENT 'first number that is not given out',
  step        INT          NOT NULL COMMENT 'how many numbers are given out at once, at least',
  description VARCHAR(256) CHARACTER SET utf8mb4 DEFAULT NULL COMMENT 'for people',
  update_time TIMESTAMP    NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP COMMENT 'time of the last change',
  PRIMARY KEY (biz_tag)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COMMENT = 'numbers that have been given out'
