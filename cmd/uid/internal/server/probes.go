package server

import (
	"bytes"
	_ "embed"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

//go:embed openapi.yaml
var openAPIFile []byte

// healthz answers as long as the process does.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) error {
	s.answerJSON(w, http.StatusOK, map[string]bool{"healthy": true})
	return nil
}

// readyz answers whether the server is to get requests. The reason why not, which may name a store, is not for
// strangers.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	answer := struct {
		Ready bool   `json:"ready"`
		Error string `json:"error,omitempty"`
	}{Ready: true}
	code := http.StatusOK
	if err := s.ready(); err != nil {
		answer.Ready, code = false, http.StatusServiceUnavailable
		if s.cfg.Token.shows(r) {
			answer.Error = err.Error()
		}
		w.Header().Set("Retry-After", "1")
	}
	s.answerJSON(w, code, answer)
	return nil
}

func (s *Server) metricsPage(w http.ResponseWriter, _ *http.Request) error {
	var body bytes.Buffer
	families, err := prometheus.Gatherers{s.metrics.all, s.cfg.Metrics}.Gather()
	for _, family := range families {
		if err == nil {
			_, err = expfmt.MetricFamilyToText(&body, family)
		}
	}
	if err != nil {
		return failed(http.StatusInternalServerError, "%v", err)
	}
	s.answer(w, http.StatusOK, "text/plain; version=0.0.4; charset=utf-8", body.Bytes())
	return nil
}

func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	s.answer(w, http.StatusOK, "application/yaml", openAPIFile)
	return nil
}

// index leads to the page, or lists the paths where there is none.
func (s *Server) index(w http.ResponseWriter, r *http.Request) error {
	if s.cfg.Page != nil {
		http.Redirect(w, r, PagePath, http.StatusFound)
		return nil
	}
	body := []byte("uid serve " + s.cfg.Version + "\n\n")
	for _, route := range s.all {
		body = append(body, route.path+"\n"...)
	}
	s.answer(w, http.StatusOK, "text/plain; charset=utf-8", body)
	return nil
}
