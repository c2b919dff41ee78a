package migrate

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// What stands right around a group tells its shape.
func TestTokens(t *testing.T) {
	m := fuzzMigration(t)
	for _, c := range []struct {
		in    string
		shape shape
		word  string
		site  rules.GVK
	}{
		{"old.example.com", bare, "old.example.com", rules.GVK{Group: "old.example.com"}},
		{"old.example.com/v1beta1", gv, "old.example.com/v1beta1", rules.GVK{Group: "old.example.com", Version: "v1beta1"}},
		{"old.example.com/v1/Pear", gvk, "old.example.com/v1/Pear", rules.GVK{Group: "old.example.com", Version: "v1", Kind: "Pear"}},
		{"old.example.com/v1, Kind=Pear", gvk, "old.example.com/v1, Kind=Pear", rules.GVK{Group: "old.example.com", Version: "v1", Kind: "Pear"}},
		{"old.example.com/Pear", gk, "old.example.com/Pear", rules.GVK{Group: "old.example.com", Kind: "Pear"}},
		{"old.example.com_Pear", gkUnder, "old.example.com_Pear", rules.GVK{Group: "old.example.com", Kind: "Pear"}},
		{"apples.split.example.com", resource, "apples.split.example.com", rules.GVK{Group: "split.example.com", Plural: "apples"}},
		{"berries.v1.split.example.com", resource, "berries.v1.split.example.com", rules.GVK{Group: "split.example.com", Version: "v1", Plural: "berries"}},
		{"split.example.com/apples", gr, "split.example.com/apples", rules.GVK{Group: "split.example.com", Plural: "apples"}},
		{"old.example.com_pears.yaml", fileName, "old.example.com_pears.yaml", rules.GVK{Group: "old.example.com"}},
		{"pear.old.example.com", key, "pear.old.example.com", rules.GVK{Group: "old.example.com"}},
		{"old.example.com/name", key, "old.example.com/name", rules.GVK{Group: "old.example.com"}},
		{"a.b.c.old.example.com", longer, "a.b.c.old.example.com", rules.GVK{Group: "old.example.com"}},
		{"old.example.com.net", longer, "old.example.com.net", rules.GVK{Group: "old.example.com"}},
		{"me@old.example.com", email, "old.example.com", rules.GVK{Group: "old.example.com"}},
		{"https://old.example.com/v1", urlHost, "old.example.com", rules.GVK{Group: "old.example.com"}},
		{`old.example.com\/v1`, gv, `old.example.com\/v1`, rules.GVK{Group: "old.example.com", Version: "v1"}},
	} {
		t.Run(c.in, func(t *testing.T) {
			data := []byte("x: " + c.in + " y")
			toks := m.words.tokens(m.seek, data)
			if len(toks) != 1 {
				t.Fatalf("%d tokens", len(toks))
			}
			if tok := toks[0]; tok.shape != c.shape || string(tok.word.Of(data)) != c.word || tok.site != c.site {
				t.Errorf("shape %d of %q: %+v", tok.shape, tok.word.Of(data), tok.site)
			}
		})
	}
}
