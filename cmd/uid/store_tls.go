package main

import (
	"crypto/tls"
	"crypto/x509"
	"os"
)

// tlsParams are the parameters of URLs whose client library has none for TLS: tls=true, or the
// names of PEM files with the authority's certificate, and with this client's own and its key.
var tlsParams = []string{"tls", "cacert", "cert", "key"}

// tls returns what the parameters say; nil is without TLS.
func (u *storeURL) tls() (*tls.Config, error) {
	on, ca, cert, key := u.params.Get("tls"), u.params.Get("cacert"), u.params.Get("cert"), u.params.Get("key")
	switch {
	case on != "" && on != "true" && on != "false":
		return nil, u.bad("has a tls that is neither true nor false")
	case (cert == "") != (key == ""):
		return nil, u.bad("has only one of cert and key")
	case on == "false" && ca+cert != "":
		return nil, u.bad("has tls=false and a certificate")
	case on != "true" && ca+cert == "":
		return nil, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		cfg.RootCAs = x509.NewCertPool()
		if err != nil || !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, u.bad("has a cacert that names no PEM file with a certificate")
		}
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, u.bad("has a cert and a key that name no PEM files of a pair")
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}
