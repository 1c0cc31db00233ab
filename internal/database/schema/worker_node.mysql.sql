-- One row for each start of a process; the generated key is its worker ID.
-- Rows are never deleted or changed afterwards: they say which process had which
-- ID. A mark names the history under which the database answered; see Skip of sqlstore.Config. Both TIMESTAMPs have explicit defaults, since servers in strict mode refuse
-- the zero date that some versions would otherwise give the second one. TiDB reads
-- the comment at the end, and then hands out single IDs instead of batches.
CREATE TABLE IF NOT EXISTS `WORKER_NODE` (
  ID          BIGINT      NOT NULL AUTO_INCREMENT COMMENT 'worker ID',
  HOST_NAME   VARCHAR(64) NOT NULL COMMENT 'host name',
  PORT        VARCHAR(64) NOT NULL COMMENT 'port, or a random text when none is known',
  TYPE        INT         NOT NULL COMMENT '1 CONTAINER (port known), 2 ACTUAL; 3 and 4 the same with a floor; 5 a mark of a history',
  LAUNCH_DATE DATE        NOT NULL COMMENT 'day of the start',
  MODIFIED    TIMESTAMP   NOT NULL DEFAULT CURRENT_TIMESTAMP COMMENT 'time of the last change; with a floor, the time in UTC at which its UIDs begin',
  CREATED     TIMESTAMP   NOT NULL DEFAULT CURRENT_TIMESTAMP COMMENT 'time of the start',
  PRIMARY KEY (ID)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COMMENT = 'worker IDs of UID generators' /*T![auto_id_cache] AUTO_ID_CACHE 1 */
