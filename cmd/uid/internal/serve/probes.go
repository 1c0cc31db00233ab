package serve

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"net/http"
)

//go:embed openapi.yaml
var openAPIFile []byte

// healthz answers as long as the process does.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	s.answer(w, http.StatusOK, "application/json", []byte("{\"healthy\":true}\n"))
}

// readyz answers whether the server is to get requests.
func (s *Server) readyz(w http.ResponseWriter, _ *http.Request) {
	answer := struct {
		Ready bool   `json:"ready"`
		Error string `json:"error,omitempty"`
	}{Ready: true}
	code := http.StatusOK
	if err := s.ready(); err != nil {
		answer.Ready, answer.Error, code = false, err.Error(), http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "1")
	}
	body, _ := json.Marshal(answer)
	s.answer(w, code, "application/json", append(body, '\n'))
}

func (s *Server) metricsPage(w http.ResponseWriter, _ *http.Request) {
	var body bytes.Buffer
	s.metrics.write(&body)
	if err := s.cfg.Metrics(&body); err != nil {
		s.fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	s.answer(w, http.StatusOK, "text/plain; version=0.0.4; charset=utf-8", body.Bytes())
}

func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) {
	s.answer(w, http.StatusOK, "application/yaml", openAPIFile)
}

// index leads to the page, or lists the paths where there is none.
func (s *Server) index(w http.ResponseWriter, r *http.Request) {
	if s.cfg.Page != nil {
		http.Redirect(w, r, PagePath, http.StatusFound)
		return
	}
	body := []byte("uid serve " + s.cfg.Version + "\n\n")
	for _, route := range s.all {
		body = append(body, route.path+"\n"...)
	}
	s.answer(w, http.StatusOK, "text/plain; charset=utf-8", body)
}
