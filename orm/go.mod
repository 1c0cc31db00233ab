module github.com/uidgen/uid/orm

go 1.26.0

require (
	entgo.io/ent v0.14.5
	github.com/uidgen/uid v0.0.0
	gorm.io/gorm v1.31.2
)

require (
	github.com/google/uuid v1.3.0 // indirect
	github.com/jinzhu/inflection v1.0.0 // indirect
	github.com/jinzhu/now v1.1.5 // indirect
	golang.org/x/text v0.21.0 // indirect
)
