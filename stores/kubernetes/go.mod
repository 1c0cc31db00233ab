module github.com/uidgen/uid/stores/kubernetes

go 1.26.0

require (
	github.com/stretchr/testify v1.12.1
	github.com/uidgen/uid v0.0.0
)

require (
	github.com/anishathalye/porcupine v1.3.1 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
