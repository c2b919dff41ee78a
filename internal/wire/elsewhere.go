package wire

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// A Home is the server that a question is for. What it answers may name other
// servers: the realm of a token, a redirect, a next page.
type Home struct {
	Host  string // HOST[:PORT]
	Plain bool   // plain http is spoken with it

	// Lookup finds the addresses of a host; nil = the system's.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
}

// Check refuses a request to another server than the home, unless it goes over
// https to a public address, or to one of the kind that the home has: a server
// does not choose which services of this machine or network cfctl asks. (A name
// with another address a moment later has no certificate of such a service.)
func (h Home) Check(req *http.Request) error {
	if strings.EqualFold(hostPort(req.URL), hostPort(&url.URL{Scheme: req.URL.Scheme, Host: h.Host})) {
		if req.URL.Scheme == "https" || h.Plain {
			return nil
		}
		return h.refuse(req, "in plain http")
	}
	if req.URL.Scheme != "https" {
		return h.refuse(req, "to another server in plain http")
	}
	kinds := map[string]bool{public: true}
	for _, a := range h.lookup(req.Context(), (&url.URL{Host: h.Host}).Hostname()) {
		kinds[kindOf(a)] = true
	}
	for _, a := range h.lookup(req.Context(), req.URL.Hostname()) {
		if kind := kindOf(a); !kinds[kind] {
			return h.refuse(req, "to "+kind+" address")
		}
	}
	return nil
}

func (h Home) refuse(req *http.Request, to string) error {
	return Endless(req, "%s sends clients there, %s: not followed", h.Host, to)
}

// hostPort is the host of a URL with its port.
func hostPort(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return net.JoinHostPort(strings.TrimSuffix(u.Hostname(), "."), port)
}

// lookup are the addresses of a host. One that cannot be looked up here has none:
// it cannot be reached either, or a proxy on the way looks it up.
func (h Home) lookup(ctx context.Context, host string) []netip.Addr {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}
	}
	if name := strings.TrimSuffix(strings.ToLower(host), "."); name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})} // whatever the system says, RFC 6761
	}
	find := h.Lookup
	if find == nil {
		find = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	list, _ := find(ctx, host)
	return list
}

// The kinds of addresses, as errors name them.
const (
	public    = "a public"
	loopback  = "a loopback"
	linkLocal = "a link-local"
	private   = "a private"
)

// reserved are blocks that are not public and that netip does not name.
// Source: the IANA special-purpose address registries (RFC 6890).
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("fec0::/10"),
}

// Blocks of IPv6 that represent an address of IPv4: RFC 6052 and RFC 3056.
var nat64, sixToFour = netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("2002::/16")

func kindOf(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	switch b := a.As16(); {
	case nat64.Contains(a):
		a = netip.AddrFrom4([4]byte(b[12:]))
	case sixToFour.Contains(a):
		a = netip.AddrFrom4([4]byte(b[2:6]))
	}
	switch {
	case a.IsLoopback(), a.IsUnspecified():
		return loopback
	case a.IsLinkLocalUnicast(), a.IsLinkLocalMulticast(), a.IsInterfaceLocalMulticast():
		return linkLocal
	case a.IsPrivate(), a.IsMulticast():
		return private
	}
	for _, block := range reserved {
		if block.Contains(a) {
			return private
		}
	}
	return public
}

// A Bearer is the way to one API: it adds a token to requests to its server, and
// to no other, so that a redirect to another host, port or scheme goes without;
// cuts the token out of answers; and refuses answers that are no JSON. A write that
// is redirected stays the same write (a repository was renamed), and goes to no
// other server.
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
		err = errors.Join(withoutToken(res, token), wantJSON(req, res), b.redirect(req, res))
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}

// redirect keeps net/http from making a read of a write whose address has changed for
// good, which it does after 301.
func (b *Bearer) redirect(req *http.Request, res *http.Response) error {
	to, err := res.Location()
	if err != nil || req.Method == http.MethodGet || req.Method == http.MethodHead || res.StatusCode/100 != 3 {
		return nil //nolint:nilerr // no redirect, or of a read
	}
	if to.Scheme != b.Base.Scheme || to.Host != b.Base.Host {
		return unusable(req, "the answer is a redirect to %s: no write goes to another server", plainURL(to))
	}
	if res.StatusCode == http.StatusMovedPermanently { // 302 and 303 may answer a write that was done
		res.StatusCode = http.StatusPermanentRedirect
	}
	return nil
}
