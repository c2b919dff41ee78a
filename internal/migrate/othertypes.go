package migrate

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/gorefactor"
	"github.com/project-codeflare/cfctl/internal/kindwords"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// declaredType is the declaration of a type in languages other than Go.
var declaredType = lazyregexp.New(`\b(?:struct|class|record)\s+(?:V\d[a-z0-9]*)?([A-Z]\w*)`)

// declares notes the kinds of rules of which a program in another language declares the type, or its
// spec, next to the group, as kube-rs, fabric8 and KubeOps have it, or to the annotation of fabric8 with a
// group; and types that have a new name.
func (r *refactoring) declares(name string, data []byte) {
	if r.m.opts.Dual || !slices.Contains([]string{".rs", ".java", ".kt", ".cs"}, path.Ext(name)) {
		return
	}
	annotated := bytes.Contains(data, []byte("@Group(")) // with a constant: flink-kubernetes-operator, strimzi-kafka-operator
	for _, m := range declaredType.FindAllSubmatch(data, -1) {
		t := strings.TrimSuffix(string(m[1]), "Spec")
		for _, x := range r.rules {
			if x.OfOwner() && !x.Surface && (t == x.ToKind || t == x.Kind && (annotated || bytes.Contains(data, []byte(`"`+x.Group+`"`)))) {
				r.mu.Lock()
				if first := r.types[t]; first == "" || name < first {
					r.types[t] = name
				}
				r.owned[x.Group], r.owner = true, append(r.owner, name)
				r.mu.Unlock()
			}
		}
	}
}

// tellTypes says which kinds such programs declare. Of a kind of one word, their names are not renamed:
// it may be a word of anything.
func (r *refactoring) tellTypes(p *Plan) {
	for i, x := range r.rules {
		name := r.types[x.Kind]
		if name == "" || x.ToKind == "" || x.ToKind == x.Kind {
			continue
		}
		if r.rules[i].Declared = r.types[x.ToKind] == "" && len(kindwords.Split(x.Kind)) > 1; r.rules[i].Declared || !slices.ContainsFunc(p.Files, func(f *File) bool { return f.Path == name && len(f.siteEdits()) > 0 }) {
			continue // or what the file says of it needs review already
		}
		e := gorefactor.Entry{ID: "type-name", Hint: "rename it there and in the code that has it, or keep it with a keep entry",
			Why: fmt.Sprintf("the type of the kind %s, which becomes %s, is not renamed: it has one word, or a type has the new name", x.Kind, x.ToKind)}
		r.reportAt(p, name, e)
	}
}
