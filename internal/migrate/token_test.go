package migrate

import "testing"

// What stands right around a group tells its shape.
func TestTokens(t *testing.T) {
	m := fuzzMigration(t)
	for _, c := range []struct {
		in    string
		shape shape
		word  string
		site  GVK
	}{
		{"old.example.com", bare, "old.example.com", GVK{Group: "old.example.com"}},
		{"old.example.com/v1beta1", gv, "old.example.com/v1beta1", GVK{Group: "old.example.com", Version: "v1beta1"}},
		{"old.example.com/v1/Pear", gvk, "old.example.com/v1/Pear", GVK{Group: "old.example.com", Version: "v1", Kind: "Pear"}},
		{"old.example.com/v1, Kind=Pear", gvk, "old.example.com/v1, Kind=Pear", GVK{Group: "old.example.com", Version: "v1", Kind: "Pear"}},
		{"old.example.com/Pear", gk, "old.example.com/Pear", GVK{Group: "old.example.com", Kind: "Pear"}},
		{"old.example.com_Pear", gkUnder, "old.example.com_Pear", GVK{Group: "old.example.com", Kind: "Pear"}},
		{"apples.split.example.com", resource, "apples.split.example.com", GVK{Group: "split.example.com", Plural: "apples"}},
		{"berries.v1.split.example.com", resource, "berries.v1.split.example.com", GVK{Group: "split.example.com", Version: "v1", Plural: "berries"}},
		{"split.example.com/apples", gr, "split.example.com/apples", GVK{Group: "split.example.com", Plural: "apples"}},
		{"old.example.com_pears.yaml", fileName, "old.example.com_pears.yaml", GVK{Group: "old.example.com"}},
		{"pear.old.example.com", key, "pear.old.example.com", GVK{Group: "old.example.com"}},
		{"old.example.com/name", key, "old.example.com/name", GVK{Group: "old.example.com"}},
		{"a.b.c.old.example.com", longer, "a.b.c.old.example.com", GVK{Group: "old.example.com"}},
		{"old.example.com.net", longer, "old.example.com.net", GVK{Group: "old.example.com"}},
		{"me@old.example.com", email, "old.example.com", GVK{Group: "old.example.com"}},
		{"https://old.example.com/v1", urlHost, "old.example.com", GVK{Group: "old.example.com"}},
		{`old.example.com\/v1`, gv, `old.example.com\/v1`, GVK{Group: "old.example.com", Version: "v1"}},
	} {
		t.Run(c.in, func(t *testing.T) {
			data := []byte("x: " + c.in + " y")
			toks := m.rules.tokens(m.seek, data)
			if len(toks) != 1 {
				t.Fatalf("%d tokens", len(toks))
			}
			if tok := toks[0]; tok.shape != c.shape || string(tok.word.Of(data)) != c.word || tok.site != c.site {
				t.Errorf("shape %d of %q: %+v", tok.shape, tok.word.Of(data), tok.site)
			}
		})
	}
}
