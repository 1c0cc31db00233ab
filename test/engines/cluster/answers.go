package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Answers returns nil if a server of HTTP answers that all is well, with a text that has another one in it.
func Answers(ctx context.Context, addr, path, text string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+path, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && (answer.StatusCode != http.StatusOK || !strings.Contains(string(body), text)) {
		err = fmt.Errorf("cluster: %s: %s: %s", path, answer.Status, body)
	}
	return err
}
