package migrate

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/source/find"
)

// What must agree in a tree is checked as well, whether an old name is there or not: a
// migration by search and replace changes contents, and leaves the names of files, and
// versions that no CRD serves. Only groups of the rules are looked at, the old ones and
// the new.

// facts are what a file says that other places must agree with.
type facts struct {
	crds    []crdFact
	objects []objectFact
	claims  []claim
	kinds   []*rules.GVK // of its manifests and CRDs, of the groups of the rules
	records []string     // places in the work tree that an installer has: records of a release, code of others
}

// all are the claims of a file, in its order: each of its objects claims that its version is served.
func (x *facts) all() []claim {
	list := append(make([]claim, 0, len(x.claims)+len(x.objects)), x.claims...)
	for _, o := range x.objects {
		if !o.defines {
			list = append(list, claim{Span: o.at, role: roleGroup, hint: "write a version that the CRD serves, or serve this one", object: o.GVK})
		}
	}
	slices.SortStableFunc(list, func(a, b claim) int { return a.Start - b.Start })
	return list
}

// A crdFact is one CRD of a file.
type crdFact struct {
	group, kind, name string
	served            []string // versions
}

// A claim is one place that may not agree with others.
type claim struct {
	source.Span
	role      string
	old       string // what is there; "" = the text of the place
	why, hint string // what is said when it does not hold
	inBase    bool   // the hint is a command, for the base of the tree
	// Of these one is set: the claim holds when
	object *rules.GVK // some CRD of the tree serves the version, or none is of the kind
	// a file of one of these paths is there. A path of a script may be seen from other folders
	// than its own, and does not hold only where a file of instead is there.
	paths   []string
	strict  bool     // it does not hold either where there is none of instead
	instead []string // the paths with the other groups of the rules
	crd     string   // no file of the same folder before it defines the CRD
	whole   bool     // the same, of a file that is installed by itself: it does not define the CRD twice
	to      string   // the file has the name of its CRD, which is this one
	// else the file alone tells that it does not hold.
}

// A concord knows the groups of the rules, for what must agree.
type concord struct {
	pairs   map[string][]string // a group, and those that it becomes or comes from
	names   map[string]bool     // all groups
	merging map[string]bool     // groups of which a kind becomes another one
	file    *regexp.Regexp      // name of a file that is named after one
	begins  *find.Finder        // such names, up to the underscore
	needles []string            // the new groups
	fresh   *find.Finder        // of the same
	told    *find.Finder        // of the groups of which objects and CRDs must agree
}

// newConcord is nil where no rule leaves a group for another.
func newConcord(t *rules.Table) *concord {
	c := &concord{pairs: map[string][]string{}, names: map[string]bool{}, merging: map[string]bool{}}
	var names []string
	add := func(a, b string) {
		if strings.Contains(a, ".") && !slices.Contains(names, a) {
			names, c.names[a] = append(names, a), true
		}
		if a != b && !slices.Contains(c.pairs[a], b) {
			c.pairs[a] = append(c.pairs[a], b)
		}
	}
	for _, group := range t.Groups() {
		for _, r := range t.RulesOf(group) {
			to := cmp.Or(r.To.Group, group)
			add(group, to)
			add(to, group)
			c.merging[group] = c.merging[group] || r.To.Kind != "" && r.To.Kind != r.From.Kind
			if to != group && strings.Contains(to, ".") && !slices.Contains(c.needles, to) {
				c.needles = append(c.needles, to)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	either, begins := make([]string, len(names)), make([]string, len(names))
	for i, n := range names {
		either[i], begins[i] = regexp.QuoteMeta(n), n+"_"
	}
	c.file = regexp.MustCompile(`(` + strings.Join(either, "|") + `)_([a-z][a-z0-9-]*)\.ya?ml`)
	told := slices.DeleteFunc(names, func(n string) bool { return !c.knows(n) && !c.merging[n] })
	c.begins, c.fresh, c.told = find.New(begins), find.New(c.needles), find.New(told)
	return c
}

// knows says whether a group is one of the rules, old or new.
func (c *concord) knows(group string) bool { _, ok := c.pairs[group]; return ok }

var crdWord = []byte("CustomResourceDefinition")

// factsOf is what a file says, nil when that is nothing.
func (x *reading) factsOf(name string, data []byte, format string) *facts {
	if x.concord == nil || format != "yaml" && format != "json" && format != "shell" && format != "helm" || x.opts.Dual && x.core.KeepsFile(x.placeOf(name), data) {
		return nil
	}
	g := &gathering{concord: x.concord, name: name, data: data, fills: format == "helm"}
	if g.fills || x.opts.Dual { // the CRDs alone must agree: two of them may become one, or have a twin
		if format != "shell" && g.fills != x.opts.Dual && bytes.Contains(data, crdWord) {
			for _, doc := range text.Documents(data) {
				g.definitions(doc)
			}
		}
		g.facts = facts{crds: g.crds, objects: g.objects}
		if g.claims = nil; x.opts.Dual {
			g.objects = nil
		} else {
			g.crds = nil
		}
	} else {
		g.gather(x.Migration, format)
	}
	says := func(x facts) bool { return len(x.claims)+len(x.crds)+len(x.objects)+len(x.kinds)+len(x.records) > 0 }
	told := g.facts // without the text
	if says(told) && x.core.KeepsFile(x.placeOf(name), data) {
		told = facts{records: told.records}
	}
	if !says(told) {
		return nil
	}
	return &told
}

// gather reads what a file says in its format.
func (g *gathering) gather(m *Migration, format string) {
	if format != "shell" {
		docs := text.Documents(g.data)
		for _, doc := range docs {
			g.document(doc)
		}
		g.installs(docs)
		g.fileName()
	}
	g.recordsIn(m.placeOf(g.name))
	if format != "json" {
		g.references()
	}
}

// A gathering reads the facts of one file.
type gathering struct {
	facts
	*concord
	name  string
	data  []byte
	doc   source.Span // of scan
	scan  *syntax.Node
	fills bool // it is a template
}

// tree is that of a document, without the brackets around all of it.
func (g *gathering) tree(doc source.Span) *syntax.Node {
	if g.scan == nil || g.doc != doc {
		g.doc, g.scan = doc, syntax.Scan(g.data, doc, false, g.fills)
		if k := g.scan.Kids; len(k) == 1 && k[0].Key == nil && !k[0].Item {
			g.scan = k[0]
		}
	}
	return g.scan
}

// claim adds a place that may not agree.
func (g *gathering) claim(at source.Span, why, hint string) *claim {
	g.claims = append(g.claims, claim{Span: at, role: "group-field", why: why, hint: hint})
	return &g.claims[len(g.claims)-1]
}

// site is what is said of a claim that does not hold, in a file.
func (c *claim) site(data []byte) Site {
	s := core.At(c.Span, c.role, cmp.Or(c.old, string(c.Of(data)))).As(judge.Because(judge.Disagrees, "the tree disagrees: "+c.why).Hinted(c.hint))
	s.Rule.ID = findingDisagrees
	if c.inBase {
		s.In = "."
	}
	return s
}

func (g *gathering) document(doc source.Span) {
	if !g.told.Match(doc.Of(g.data)) {
		return
	}
	if bytes.Contains(doc.Of(g.data), crdWord) {
		g.definitions(doc)
	}
	if api, _ := text.Field(doc.Of(g.data), "apiVersion: "); api != "" && !g.told.Match([]byte(api)) && !bytes.Contains(doc.Of(g.data), []byte("APIService")) {
		return
	}
	kind := textAt(g.tree(doc), "kind")
	if kind == "APIService" {
		g.define(doc)
	}
	group, version, _ := strings.Cut(textAt(g.tree(doc), "apiversion"), "/")
	if kind == "" || !g.names[group] || !g.knows(group) || !rules.APIVersion.MatchString(version) {
		return
	}
	object := &rules.GVK{Group: group, Version: version, Kind: kind}
	g.kinds = append(g.kinds, object)
	g.object(doc, object)
}

// definitions reads the CRDs of a document: the document itself, in YAML or JSON, and the
// items of a list.
func (g *gathering) definitions(doc source.Span) {
	g.tree(doc).Leaves(func(n *syntax.Node) {
		if n.Name == "kind" && n.String() == string(crdWord) {
			g.crd(n.Up)
		}
	})
}

// textAt is what a node that labels lead to says, "" where they lead nowhere.
func textAt(n *syntax.Node, labels ...string) string {
	if n = n.Find(labels...); n == nil || n.Start == n.End {
		return ""
	}
	return n.String()
}

// crd reads a CRD: its name is plural.group.
// Source: apiextensions.k8s.io, validation of metadata.name.
func (g *gathering) crd(top *syntax.Node) {
	name, names := top.Find("metadata", "name"), top.Find("spec", "names")
	f := crdFact{group: textAt(top, "spec", "group"), name: textAt(top, "metadata", "name"), kind: textAt(top, "spec", "names", "kind")}
	if name == nil || names == nil || !g.names[f.group] {
		return
	}
	f.served = servedBy(top.Child("spec"))
	for _, version := range f.served {
		g.kinds = append(g.kinds, &rules.GVK{Group: f.group, Version: version, Kind: f.kind})
	}
	if !g.knows(f.group) && !g.merging[f.group] {
		return
	}
	plural := textAt(names, "plural")
	if plural == "" { // a part of a CRD: a patch, what a test expects
		return
	}
	at := source.Span{Start: name.Start, End: name.End}
	g.objects = append(g.objects, objectFact{GVK: &rules.GVK{Group: f.group, Kind: string(crdWord)}, name: f.name, at: at, doc: g.doc, defines: true})
	if !g.knows(f.group) {
		return
	}
	g.crds = append(g.crds, f)
	if want := plural + "." + f.group; want != f.name {
		g.claim(at, "the name of this CRD must be "+want, "write "+want)
		return
	}
	// CRDs of two versions of their own API are a choice by the cluster's version, as kopf's
	// peering.yaml and peering-v1beta1.yaml; those that serve other versions are one by what
	// is installed, as the test files of k8ssandra-client.
	g.claim(at, "", "remove one of the two").crd = path.Join(textAt(top, "apiversion"), f.name, strings.Join(f.served, ","))
}

// servedBy are the versions that a CRD serves.
func servedBy(spec *syntax.Node) []string {
	var list []string
	if spec.Child("version") != nil {
		list = append(list, textAt(spec, "version"))
	}
	if versions := spec.Child("versions"); versions != nil {
		for _, item := range versions.Kids {
			if item.Child("name") != nil && textAt(item, "served") != "false" {
				list = append(list, textAt(item, "name"))
			}
		}
	}
	return list
}

// fileName holds the name of a file of one CRD against its group and plural.
func (g *gathering) fileName() {
	m := g.file.FindStringSubmatch(path.Base(g.name))
	if m == nil || m[0] != path.Base(g.name) || len(g.crds) != 1 {
		return
	}
	group := g.crds[0].group
	plural, _, _ := strings.Cut(g.crds[0].name, ".")
	if m[1] == group && strings.HasPrefix(plural, m[2]) {
		return // its singular
	}
	if want := group + "_" + plural; m[1]+"_"+m[2] != want {
		to := path.Join(path.Dir(g.name), want+path.Ext(g.name))
		c := g.claim(source.Span{}, "the file is named after "+m[1]+" and holds the CRD "+g.crds[0].name, report.Shell("mv", "--", g.name, to))
		c.inBase, c.role, c.old, c.to = true, roleCRDFile, path.Base(g.name), to
	}
}

// installers are the APIs of objects that install a folder: an Application of Argo CD, a Kustomization
// of Flux.
var installers = []string{"argoproj.io/v1alpha1", "kustomize.toolkit.fluxcd.io/v1"}

// recordsIn notes what a kustomization or another installer has that looks like a record or is code of
// others, unless it is a record itself. A kustomization in a folder of snapshots is none.
func (g *gathering) recordsIn(place string) {
	dir, kustomization := path.Dir(place), slices.Contains(core.Kustomizations, path.Base(place))
	if !kustomization && !slices.ContainsFunc(installers, func(api string) bool { return bytes.Contains(g.data, []byte(api)) }) ||
		isRecord(dir) && !(kustomization && strings.Contains(dir, "__snapshot")) {
		return
	}
	if !kustomization {
		dir = "."
	}
	syntax.Scan(g.data, source.Span{End: len(g.data)}, false, false).Leaves(func(n *syntax.Node) {
		name := n.String()
		if n.Style != syntax.Bare && !n.Quoted || !kustomization && n.Name != "path" {
			return
		}
		at := path.Join(dir, name)
		if !path.IsAbs(name) && !strings.HasPrefix(at, "../") && !strings.Contains(name, "://") && (isRecord(at) || isOthers(at)) {
			g.records = append(g.records, at)
		}
	})
}

// references claims that the paths of kustomizations, scripts, Makefiles, Dockerfiles, workflows
// and other YAML lead somewhere that end in the name of a file named after a group. Of a
// kustomization the path is from its folder. Of any other file a name alone is none: that a path
// is one its folders say.
func (g *gathering) references() {
	if !g.begins.Match(g.data) {
		return
	}
	kustomization := slices.Contains(core.Kustomizations, path.Base(g.name))
	for _, m := range g.file.FindAllSubmatchIndex(g.data, -1) {
		place := source.Span{Start: m[0], End: m[1]}
		target := pathAround(g.data, place)
		if path.IsAbs(target) || place.End < len(g.data) && text.IsWordByte(g.data[place.End]) ||
			kustomization && bytes.IndexByte(g.data[text.LineStart(g.data, place.Start):place.Start], '#') >= 0 || !kustomization && !strings.Contains(target, "/") {
			continue
		}
		dir := path.Dir(g.name)
		c := claim{Span: place, role: roleCRDFile, why: "there is no " + target, hint: "rename the file, or name the one that is there", strict: kustomization}
		for more := true; more; dir = path.Dir(dir) {
			if at := path.Join(dir, target); !strings.HasPrefix(at, "../") {
				c.paths = append(c.paths, at)
				for _, other := range g.pairs[string(g.data[m[2]:m[3]])] {
					c.instead = append(c.instead, path.Join(path.Dir(at), other+string(g.data[m[3]:m[1]])))
				}
			}
			more = !kustomization && dir != "." && dir != "/"
		}
		if len(c.paths) == 0 {
			continue
		}
		if kustomization {
			c.why, c.Start = "there is no "+c.paths[0], place.End-len(target)
		}
		g.claims = append(g.claims, c)
	}
}

// pathAround is the path that ends in a name, without a variable in front of it.
func pathAround(data []byte, name source.Span) string {
	from := name.Start
	for from > 0 && (text.IsWordByte(data[from-1]) || bytes.IndexByte([]byte("./-"), data[from-1]) >= 0) {
		from--
	}
	if from > 0 && bytes.IndexByte([]byte(")}"), data[from-1]) >= 0 {
		for from < name.Start && data[from] == '/' {
			from++
		}
	}
	return string(data[from:name.End])
}
