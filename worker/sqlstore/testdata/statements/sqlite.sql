-- the namespace is made
INSERT INTO `uid_lease` (NAMESPACE, WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT, HOLDER, ACQUIRED, RENEWED, HISTORY) SELECT 'orders', -1, 'N0', 5, 0, '28s/22/13', 'all worker IDs', 0, 0, '' FROM (SELECT 1 AS ONE) o WHERE 1 = 1; -- 1
-- a row changes
UPDATE `uid_lease` SET NONCE = 'N2', HIGH = 10, LEASE_UNTIL = 9, LAYOUT = '28s/22/13', HOLDER = 'h', ACQUIRED = 0, RENEWED = 3, HISTORY = '' WHERE NAMESPACE = 'orders' AND WORKER_ID = 7 AND NONCE = 'N1' AND HIGH = 8 AND LEASE_UNTIL = 9 AND LAYOUT = '28s/22/13' AND HOLDER = 'h' AND ACQUIRED = 0 AND RENEWED = 3 AND HISTORY = '' AND 1 = 1; -- 1
-- a row changes, if the namespace is as it was
UPDATE `uid_lease` SET NONCE = 'N2', HIGH = 10, LEASE_UNTIL = 9, LAYOUT = '28s/22/13', HOLDER = 'h', ACQUIRED = 0, RENEWED = 3, HISTORY = '' WHERE NAMESPACE = 'orders' AND WORKER_ID = 7 AND NONCE = 'N1' AND HIGH = 8 AND LEASE_UNTIL = 9 AND LAYOUT = '28s/22/13' AND HOLDER = 'h' AND ACQUIRED = 0 AND RENEWED = 3 AND HISTORY = '' AND 1 = 1; -- 1
-- a row and the namespace change
UPDATE `uid_lease` SET NONCE = 'N0', HIGH = 6, LEASE_UNTIL = 0, LAYOUT = '28s/22/13', HOLDER = 'all worker IDs', ACQUIRED = 0, RENEWED = 0, HISTORY = '' WHERE NAMESPACE = 'orders' AND WORKER_ID = -1 AND HIGH = 5 AND LEASE_UNTIL = 0 AND LAYOUT = '28s/22/13' AND HOLDER = 'all worker IDs' AND ACQUIRED = 0 AND RENEWED = 0 AND HISTORY = '' AND 1 = 1; -- 1
UPDATE `uid_lease` SET NONCE = 'N2', HIGH = 10, LEASE_UNTIL = 9, LAYOUT = '28s/22/13', HOLDER = 'h', ACQUIRED = 0, RENEWED = 3, HISTORY = '' WHERE NAMESPACE = 'orders' AND WORKER_ID = 7 AND NONCE = 'N1' AND HIGH = 8 AND LEASE_UNTIL = 9 AND LAYOUT = '28s/22/13' AND HOLDER = 'h' AND ACQUIRED = 0 AND RENEWED = 3 AND HISTORY = '' AND 1 = 1; -- 1
-- rows are made
UPDATE `uid_lease` SET NONCE = 'RANDOM', HIGH = 6, LEASE_UNTIL = 0, LAYOUT = '28s/22/13', HOLDER = 'all worker IDs', ACQUIRED = 0, RENEWED = 0, HISTORY = '' WHERE NAMESPACE = 'orders' AND WORKER_ID = -1 AND HIGH = 5 AND LEASE_UNTIL = 0 AND LAYOUT = '28s/22/13' AND HOLDER = 'all worker IDs' AND ACQUIRED = 0 AND RENEWED = 0 AND HISTORY = '' AND 1 = 1; -- 1
INSERT INTO `uid_lease` (NAMESPACE, WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT, HOLDER, ACQUIRED, RENEWED, HISTORY) VALUES ('orders', 7, 'N1', 8, 9, '28s/22/13', 'h', 0, 3, ''), ('orders', 8, '', -1, 0, '', '', 0, 0, ''); -- 2
-- a tag is made
INSERT INTO `leaf_alloc` (biz_tag, max_id, step, description, update_time) SELECT 'orders', 15, 5, 'e', CURRENT_TIMESTAMP FROM (SELECT 1 AS ONE) o WHERE 1 = 1; -- 1
INSERT INTO `uid_segment_takers` (biz_tag, nonce, takers) SELECT 'orders', 'N1', 'T1' FROM (SELECT 1 AS ONE) o WHERE 1 = 1; -- 1
-- a tag of Leaf changes
UPDATE `leaf_alloc` SET max_id = 15, step = 5, update_time = CURRENT_TIMESTAMP, description = 'e' WHERE biz_tag = 'orders' AND biz_tag COLLATE BINARY = 'orders' AND max_id = 10 AND step = 5 AND description COLLATE BINARY = 'd'; -- 1
INSERT INTO `uid_segment_takers` (biz_tag, nonce, takers) SELECT 'orders', 'N1', 'T1' FROM (SELECT 1 AS ONE) o WHERE 1 = 1; -- 1
-- a tag changes
UPDATE `leaf_alloc` SET max_id = 15, step = 5, update_time = CURRENT_TIMESTAMP, description = 'e' WHERE biz_tag = 'orders' AND biz_tag COLLATE BINARY = 'orders' AND max_id = 10 AND step = 5 AND description COLLATE BINARY = 'd'; -- 1
UPDATE `uid_segment_takers` SET nonce = 'N1', takers = 'T1' WHERE biz_tag = 'orders' AND nonce = 'N0' AND takers = 'T0' AND 1 = 1; -- 1
