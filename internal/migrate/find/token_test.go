package find

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// What stands right around a group tells its shape.
func TestTokens(t *testing.T) {
	names := testNames
	for _, c := range []struct {
		in    string
		Shape Shape
		word  string
		site  rules.GVK
	}{
		{"old.example.com", Bare, "old.example.com", rules.GVK{Group: "old.example.com"}},
		{"old.example.com/v1beta1", GroupVersion, "old.example.com/v1beta1", rules.GVK{Group: "old.example.com", Version: "v1beta1"}},
		{"old.example.com/v1/Pear", GroupVersionKind, "old.example.com/v1/Pear", rules.GVK{Group: "old.example.com", Version: "v1", Kind: "Pear"}},
		{"old.example.com/v1, Kind=Pear", GroupVersionKind, "old.example.com/v1, Kind=Pear", rules.GVK{Group: "old.example.com", Version: "v1", Kind: "Pear"}},
		{"old.example.com/Pear", GroupKind, "old.example.com/Pear", rules.GVK{Group: "old.example.com", Kind: "Pear"}},
		{"old.example.com_Pear", GroupKindUnder, "old.example.com_Pear", rules.GVK{Group: "old.example.com", Kind: "Pear"}},
		{"apples.split.example.com", Resource, "apples.split.example.com", rules.GVK{Group: "split.example.com", Plural: "apples"}},
		{"berries.v1.split.example.com", Resource, "berries.v1.split.example.com", rules.GVK{Group: "split.example.com", Version: "v1", Plural: "berries"}},
		{"split.example.com/apples", GroupResource, "split.example.com/apples", rules.GVK{Group: "split.example.com", Plural: "apples"}},
		{"old.example.com_pears.yaml", FileName, "old.example.com_pears.yaml", rules.GVK{Group: "old.example.com"}},
		{"pear.old.example.com", Key, "pear.old.example.com", rules.GVK{Group: "old.example.com"}},
		{"old.example.com/name", Key, "old.example.com/name", rules.GVK{Group: "old.example.com"}},
		{"a.b.c.old.example.com", Longer, "a.b.c.old.example.com", rules.GVK{Group: "old.example.com"}},
		{"old.example.com.net", Longer, "old.example.com.net", rules.GVK{Group: "old.example.com"}},
		{"me@old.example.com", Email, "old.example.com", rules.GVK{Group: "old.example.com"}},
		{"https://old.example.com/v1", URLHost, "old.example.com", rules.GVK{Group: "old.example.com"}},
		{`old.example.com\/v1`, GroupVersion, `old.example.com\/v1`, rules.GVK{Group: "old.example.com", Version: "v1"}},
	} {
		t.Run(c.in, func(t *testing.T) {
			data := []byte("x: " + c.in + " y")
			toks := names.Tokens(data)
			if len(toks) != 1 {
				t.Fatalf("%d tokens", len(toks))
			}
			if tok := toks[0]; tok.Shape != c.Shape || string(tok.Word.Of(data)) != c.word || tok.Known != c.site {
				t.Errorf("shape %d of %q: %+v", tok.Shape, tok.Word.Of(data), tok.Known)
			}
		})
	}
}
