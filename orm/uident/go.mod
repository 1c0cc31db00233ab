module github.com/uidgen/uid/orm/uident

go 1.26.0

require (
	entgo.io/ent v0.14.5
	github.com/uidgen/uid v0.0.0
)

require github.com/google/uuid v1.3.0 // indirect
