package wire

import (
	"errors"
	"net/http"
	"net/url"
)

// A Bearer is the way to one API: it adds a token to requests to its server, and
// to no other, so that a redirect to another host, port or scheme goes without;
// cuts the token out of answers; and refuses answers that are no JSON.
type Bearer struct {
	Token string   // empty = none is added
	Base  *url.URL // of the API
	Next  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (b *Bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	if b.Token != "" && req.URL.Scheme == b.Base.Scheme && req.URL.Host == b.Base.Host {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+b.Token)
	}
	res, err := b.Next.RoundTrip(req)
	if err == nil {
		err = errors.Join(WithoutToken(res, b.Token), WantJSON(res))
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}
