package wire_test

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"testing"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// TestServerChoosesNoOther has servers of each kind send a client on.
func TestServerChoosesNoOther(t *testing.T) {
	names := map[string]string{"registry.example": "93.184.216.34", "cdn.example": "93.184.216.35", "inside.example": "10.0.0.7", "other-inside.example": "192.168.1.1",
		"trap.example": "127.0.0.1", "mapped.example": "::ffff:127.0.0.1", "metadata.example": "169.254.169.254"}
	lookup := func(_ context.Context, host string) ([]netip.Addr, error) {
		if a, ok := names[host]; ok {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr(a)}, nil
		}
		return nil, errors.New("no such host")
	}
	for _, c := range []struct {
		home  string
		plain bool
		to    string
		ok    bool
	}{
		{"registry.example", false, "https://registry.example/token", true},
		{"registry.example", false, "https://REGISTRY.example.:443/token", true},
		{"registry.example", false, "http://registry.example/token", false},
		{"registry.example", false, "https://cdn.example/blob", true},
		{"registry.example", false, "http://cdn.example/blob", false},
		{"registry.example", false, "https://unknown.example/blob", true}, // a proxy may know it
		{"registry.example", false, "https://inside.example/x", false},
		{"registry.example", false, "https://trap.example/x", false},
		{"registry.example", false, "https://mapped.example/x", false},
		{"registry.example", false, "https://metadata.example/latest/meta-data", false},
		{"registry.example", false, "https://localhost/x", false},
		{"registry.example", false, "https://a.LOCALHOST./x", false},
		{"registry.example", false, "https://127.0.0.1:6443/x", false},
		{"registry.example", false, "https://[::1]/x", false},
		{"registry.example", false, "https://[fe80::1%25eth0]/x", false},
		{"registry.example", false, "https://[fd00:ec2::254]/x", false},
		{"registry.example", false, "https://[64:ff9b::a9fe:a9fe]/x", false},
		{"registry.example", false, "https://[2002:7f00:1::]/x", false},
		{"registry.example", false, "https://[::ffff:10.0.0.1]/x", false},
		{"registry.example", false, "https://0.0.0.0/x", false},
		{"registry.example", false, "https://100.100.100.200/x", false},
		{"registry.example", false, "https://224.0.0.1/x", false},
		{"registry.example", false, "ftp://cdn.example/x", false},
		{"inside.example:5000", true, "http://inside.example:5000/token", true},
		{"inside.example:5000", true, "https://other-inside.example/token", true},
		{"inside.example:5000", true, "http://other-inside.example/token", false},
		{"inside.example:5000", true, "https://trap.example/token", false},
		{"127.0.0.1:5000", true, "http://127.0.0.1:5001/token", false},
		{"127.0.0.1:5000", true, "https://localhost:5001/token", true},
		{"127.0.0.1:5000", true, "https://inside.example/token", false},
		{"127.0.0.1:5000", true, "https://169.254.169.254/token", false},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.to, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		err = wire.Home{Host: c.home, Plain: c.plain, Lookup: lookup}.Check(req)
		var refused *wire.AnswerError
		if (err == nil) != c.ok || err != nil && !errors.As(err, &refused) {
			t.Errorf("%s leads to %s: %v", c.home, c.to, err)
		}
	}
}
