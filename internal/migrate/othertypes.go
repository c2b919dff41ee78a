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

// groupOf is the group of such a type, a literal or a constant.
var groupOf = lazyregexp.New(`(?:@Group\(|\bgroup\s*=|\bGroup\s*=)\s*(?:value\s*=\s*)?(?:"([^"]*)"|[A-Za-z])`)

// declares notes the kinds of rules of which a program in another language declares the type, or its
// spec, next to the group, as kube-rs, fabric8 and KubeOps have it, or a constant: that of
// flink-kubernetes-operator and strimzi-kafka-operator; types that have a new name, and those of kinds of
// other groups.
func (r *refactoring) declares(name string, data []byte) {
	if r.m.opts.Dual || !slices.Contains([]string{".rs", ".java", ".kt", ".cs"}, path.Ext(name)) {
		return
	}
	groups := groupOf.FindAllSubmatch(data, -1)
	for _, m := range declaredType.FindAllSubmatch(data, -1) {
		t := strings.TrimSuffix(string(m[1]), "Spec")
		for _, x := range r.rules {
			own := slices.ContainsFunc(groups, func(g [][]byte) bool { return len(g[1]) == 0 || string(g[1]) == x.Group }) || bytes.Contains(data, []byte(`"`+x.Group+`"`))
			if !x.OfOwner() || x.Surface || t != x.ToKind && (t != x.Kind || len(groups) == 0 && !own) {
				continue
			}
			r.mu.Lock()
			if t == x.Kind && !own {
				r.shared[t] = true
			} else {
				if first := r.types[t]; first == "" || name < first {
					r.types[t] = name
				}
				r.owned[x.Group], r.owner = true, append(r.owner, name)
			}
			r.mu.Unlock()
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
		asked := slices.ContainsFunc(p.Files, func(f *File) bool {
			return f.Path == name && slices.ContainsFunc(f.Sites, func(s Site) bool { return s.Action() == NeedsReview })
		})
		if r.rules[i].Declared = r.types[x.ToKind] == "" && !r.shared[x.Kind] && len(kindwords.Split(x.Kind)) > 1; r.rules[i].Declared || asked {
			continue
		}
		e := gorefactor.Entry{ID: "type-name", Hint: "rename it there and in the code that has it, or keep it with a keep entry",
			Why: fmt.Sprintf("the type of the kind %s, which becomes %s, is not renamed: it has one word, a type has the new name, or that of another group has the old one", x.Kind, x.ToKind)}
		r.reportAt(p, name, e)
	}
}
