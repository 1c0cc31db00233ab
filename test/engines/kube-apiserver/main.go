// Kube-apiserver is the API server of Kubernetes, of the version in go.mod, as its own main has it. It has a module
// of its own, outside of the workspace: some 300 others are in it, which nothing but this may burden.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() { os.Exit(cli.Run(app.NewAPIServerCommand())) }
