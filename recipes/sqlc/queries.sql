-- name: CreateOrder :exec
INSERT INTO orders (id, item) VALUES (?, ?);

-- name: CreateParcel :exec
INSERT INTO parcels (id, order_id) VALUES (?, ?);

-- name: Orders :many
SELECT id, item FROM orders ORDER BY id;

-- name: ParcelsOf :many
SELECT id FROM parcels WHERE order_id = ? ORDER BY id;
