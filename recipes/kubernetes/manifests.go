// Package kubernetes has the manifests of the programs service and cron, for the tests that check them
// and run the programs as they say.
package kubernetes

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8syaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

//go:embed *.yaml
var files embed.FS

// Read returns the object of a kind in a file. A field that the kind does not have is an error, and so
// is a key that stands twice.
func Read[T any](file, kind string) (object T, err error) {
	all, err := Documents(file)
	if err != nil {
		return object, err
	}
	for _, document := range all {
		var is metav1.TypeMeta
		if err := yaml.Unmarshal(document, &is); err != nil {
			return object, fmt.Errorf("%s: %w", file, err)
		}
		if is.Kind == kind {
			if err := yaml.UnmarshalStrict(document, &object); err != nil {
				return object, fmt.Errorf("%s: the %s: %w", file, kind, err)
			}
			return object, nil
		}
	}
	return object, fmt.Errorf("%s has no %s", file, kind)
}

// Documents returns the objects in a file, as they stand there.
func Documents(file string) (all [][]byte, err error) {
	text, err := files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	reader := k8syaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text)))
	for {
		document := make([]byte, len(text))
		n, err := reader.Read(document)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, document[:n])
	}
}
