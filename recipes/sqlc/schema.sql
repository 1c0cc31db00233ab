-- No AUTO_INCREMENT: a row without a key is an error. So is a 0, from a key that nobody set.
CREATE TABLE IF NOT EXISTS orders (
  id   BIGINT NOT NULL PRIMARY KEY CHECK (id > 0),
  item VARCHAR(100) NOT NULL
);

CREATE TABLE IF NOT EXISTS parcels (
  id       BIGINT NOT NULL PRIMARY KEY CHECK (id > 0),
  order_id BIGINT NOT NULL REFERENCES orders (id)
);
