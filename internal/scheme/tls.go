package scheme

import (
	"crypto/tls"
	"crypto/x509"
	"os"
)

// TLSParams are the parameters of URLs whose client library has none for TLS: tls=true, or the
// names of PEM files with the authority's certificate, and with this client's own and its key.
var TLSParams = []string{"tls", "cacert", "cert", "key"}

// TLS returns what the [TLSParams] say; nil is without TLS.
func (u *URL) TLS() (*tls.Config, error) {
	on, ca, cert, key := u.Params.Get("tls"), u.Params.Get("cacert"), u.Params.Get("cert"), u.Params.Get("key")
	switch {
	case on != "" && on != "true" && on != "false":
		return nil, u.Bad("has a tls that is neither true nor false")
	case (cert == "") != (key == ""):
		return nil, u.Bad("has only one of cert and key")
	case on == "false" && ca+cert != "":
		return nil, u.Bad("has tls=false and a certificate")
	case on != "true" && ca+cert == "":
		return nil, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		cfg.RootCAs = x509.NewCertPool()
		if err != nil || !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, u.Bad("has a cacert that names no PEM file with a certificate")
		}
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, u.Bad("has a cert and a key that name no PEM files of a pair")
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}
