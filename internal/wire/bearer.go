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
	Token func() string // asked at each request; "" = none is added
	Base  *url.URL      // of the API
	Next  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (b *Bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	token := b.Token()
	if token != "" && req.URL.Scheme == b.Base.Scheme && req.URL.Host == b.Base.Host {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := b.Next.RoundTrip(req)
	if err == nil {
		err = errors.Join(withoutToken(res, token), wantJSON(res))
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}
