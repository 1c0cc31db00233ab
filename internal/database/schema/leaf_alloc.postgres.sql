-- The same table as on MySQL. A page has room for the next version of its rows, so that a take
-- writes no index (it is a HOT update).
CREATE TABLE IF NOT EXISTS `leaf_alloc` (
  biz_tag     VARCHAR(128) COLLATE "C" NOT NULL DEFAULT '' PRIMARY KEY,
  max_id      BIGINT       NOT NULL DEFAULT 1,
  step        INT          NOT NULL,
  description VARCHAR(256) DEFAULT NULL,
  update_time TIMESTAMPTZ  NOT NULL DEFAULT CURRENT_TIMESTAMP
) WITH (fillfactor = 50)
