package migrate

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// agree adds what does not agree to the files of a plan, and leaves files out
// of which nothing is to be said. What a gate will say when the plan is written
// is said now.
func (p *Plan) agree(others Others) {
	w := wordOf(p.Files, others)
	for _, f := range p.Files {
		if f.To != f.Path {
			w.arrives[f.To] = true
		}
		for _, c := range f.crds() {
			id := c.group + "/" + c.kind
			w.moving[id] = w.moving[id] || f.Changes()
		}
	}
	p.inUse(others)
	for _, f := range p.Files {
		if f.facts == nil || f.Skip != nil {
			continue
		}
		changing, changed := f.changing(), f.Changes()
		var broken []claim
		for _, c := range f.facts.all() {
			var breaks bool
			switch moves := changedIn(changing, c.Span) != nil; {
			case c.object != nil && !concerns(f.m.rules, *c.object):
			case moves && c.object != nil:
				breaks = w.unserved(&c, f.m.rules.Ask(*c.object).To)
			case !moves || c.strict || c.crd != "": // what the plan does not mend
				breaks = w.breaks(f.Path, &c, changed)
			}
			if breaks && !f.outside {
				broken = append(broken, c)
			}
		}
		f.disagree(broken, others)
		slices.SortStableFunc(f.Sites, func(a, b Site) int { return a.Start - b.Start })
	}
	p.Files = slices.DeleteFunc(p.Files, func(f *File) bool { return f.outside || f.Skip == nil && len(f.Sites) == 0 && !f.Changes() })
}

// concerns says whether a rule is about the kind of an object, or makes others this kind.
func concerns(t *rules.Table, o rules.GVK) bool {
	return !slices.Contains(t.Groups(), o.Group) || t.Ask(o).Outcome != rules.NoRule ||
		slices.ContainsFunc(t.RulesOf(o.Group), func(r rules.Rule) bool { return r.To.Kind == o.Kind })
}

// A word is what the files of a tree say, against which their claims are held.
type word struct {
	others  Others
	served  map[string]map[string]bool // group/Kind of the CRDs, to their versions
	moving  map[string]bool            // the same, of CRDs that change
	arrives map[string]bool            // new names of files that are renamed
	defined map[string]string          // folder and CRD, to the last file that was seen to define it
}

// wordOf is what files say before anything changes.
func wordOf(files []*File, others Others) *word {
	w := &word{others: others, served: map[string]map[string]bool{}, moving: map[string]bool{}, arrives: map[string]bool{}, defined: map[string]string{}}
	for _, f := range files {
		for _, c := range f.crds() {
			id := c.group + "/" + c.kind
			if w.served[id] == nil {
				w.served[id] = map[string]bool{}
			}
			for _, version := range c.served {
				w.served[id][version] = true
			}
		}
	}
	return w
}

// crds are the CRDs of a file.
func (f *File) crds() []crdFact {
	if f.facts == nil {
		return nil
	}
	return f.facts.crds
}

// breaks says whether a claim of a file does not hold, and why. Changes says that the file
// will be another one. Files are asked about in their order.
func (w *word) breaks(name string, c *claim, changes bool) bool {
	switch {
	case c.object != nil:
		id := c.object.Group + "/" + c.object.Kind
		return !w.moving[id] && c.lacks(c.object.Kind, c.object.Version, w.served[id])
	case len(c.paths) > 0:
		return w.leadsNowhere(c)
	case c.crd != "":
		at := path.Join(path.Dir(name), c.crd)
		if c.whole {
			at = path.Join(name, c.crd)
		}
		first, twice := w.defined[at]
		w.defined[at] = name
		if c.why = fmt.Sprintf("%s defines this CRD, too", first); first == name {
			c.why = "this file defines this CRD twice"
		}
		return twice
	}
	if c.to != "" && w.others.Exists(c.to) {
		c.hint, c.inBase = "remove one of the two: "+path.Base(c.to)+" is there already", false
	}
	return !changes
}

// installs notes of the CRDs of a file that it has other objects or CRDs as well: such files
// are installed by themselves, and several of a folder are a choice, as installer/ of Volcano,
// config/all-in-one of OpenPERouter and config/crd/overlay of VictoriaMetrics have it.
func (g *gathering) installs(docs []source.Span) {
	if !slices.ContainsFunc(g.claims, func(c claim) bool { return c.crd != "" }) {
		return
	}
	whole := slices.ContainsFunc(g.crds, func(c crdFact) bool { return c.name != g.crds[0].name }) || slices.ContainsFunc(docs, func(doc source.Span) bool {
		return !bytes.Contains(doc.Of(g.data), crdWord) && textAt(g.tree(doc), "kind") != ""
	})
	for i := range g.claims {
		g.claims[i].whole = whole && g.claims[i].crd != ""
	}
}

// unserved says whether no CRD serves what an object becomes, nor served the object
// before: that of its kind moves with it, or is there already. What becomes
// another version is a matter of the rules.
func (w *word) unserved(c *claim, to rules.GVK) bool {
	id := c.object.Group + "/" + c.object.Kind
	served := []map[string]bool{w.served[to.Group+"/"+to.Kind]}
	if w.moving[id] {
		if w.served[id][c.object.Version] {
			return false
		}
		served = append(served, w.served[id])
	}
	return c.lacks(to.Kind, to.Version, served...)
}

// mostServed is how many versions are told that a CRD serves.
const mostServed = 20

// lacks says whether a claim does not hold since CRDs serve versions, and not this one, and why.
func (c *claim) lacks(kind, version string, served ...map[string]bool) bool {
	all := 0
	for _, versions := range served {
		if all += len(versions); versions[version] {
			return false
		}
	}
	if all == 0 {
		return false
	}
	said := "many other versions"
	if all <= mostServed {
		var list []string
		for _, versions := range served {
			list = slices.AppendSeq(list, maps.Keys(versions))
		}
		said = strings.Join(distinct(list), ", ")
	}
	c.why = fmt.Sprintf("the CRD of %s in this tree serves %s", kind, said)
	return true
}

// leadsNowhere says whether a path of a claim is that of no file, and which file
// is meant.
func (w *word) leadsNowhere(c *claim) bool {
	isThere := func(at string) bool { return w.arrives[at] || w.others.Exists(at) }
	if slices.ContainsFunc(c.paths, isThere) || c.strict && ignores(w.others, c.paths[0]) {
		return false
	}
	i := slices.IndexFunc(c.instead, isThere)
	if i >= 0 {
		c.hint = "write " + path.Base(c.instead[i])
	}
	return i >= 0 || c.strict
}

func distinct(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// disagree adds claims that do not hold to the sites of their file.
func (f *File) disagree(broken []claim, others Others) {
	if len(broken) == 0 {
		return
	}
	data, err := others.ReadFile(f.Path)
	if err != nil {
		f.fail(err)
		return
	}
	var list []Site
	for _, c := range broken {
		list = append(list, c.site(data))
	}
	f.add(data, positioned(data, list)...)
}

// records are the heuristics by which a manifest is a record of a release, or of a test.
var records = []string{"released-folder", "released-file", "snapshot"}

// isRecord says whether a path is that of such a record, or of a folder of them.
func isRecord(at string) bool {
	for _, name := range []string{at, at + "/manifest.yaml"} {
		if row := judge.Past(name, nil, func() bool { return true }, nil); row != nil && slices.Contains(records, row.ID) {
			return true
		}
	}
	return false
}

// inUse has records reviewed that are installed: what something outside of them has, and the newest
// chart of those in folders named after their versions.
func (p *Plan) inUse(others Others) {
	by, newest, seen := map[string]string{}, map[string]string{}, map[string]bool{}
	for _, f := range p.Files {
		if f.facts != nil {
			for _, at := range f.facts.records {
				by[at] = f.placeIn()
			}
		}
		if !slices.ContainsFunc(f.Sites, isRecorded) {
			continue
		}
		for at := path.Dir(f.Path); at != path.Dir(at) && !seen[at]; at = path.Dir(at) {
			seen[at] = true
			version := func(at string) string { return "v" + strings.TrimPrefix(path.Base(at), "v") }
			if old := newest[path.Dir(at)]; semver.IsValid(version(at)) && isRecord(at) && (old == "" || semver.Compare(version(at), version(old)) > 0) && others.Exists(path.Join(at, "Chart.yaml")) {
				newest[path.Dir(at)] = at
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(newest)) {
		at := newest[dir]
		by[path.Join(p.Below, at)] = path.Join(at, "Chart.yaml")
	}
	if len(by) == 0 {
		return
	}
	for _, f := range p.Files {
		user := ""
		for at := f.placeIn(); at != path.Dir(at) && user == ""; at = path.Dir(at) {
			user = by[at]
		}
		if user == "" {
			continue
		}
		for i, s := range f.Sites {
			if isRecorded(s) {
				f.Sites[i] = s.Leave(judge.Because(judge.RecordInUse, "by its path it is a record, and "+user+" installs it"))
			}
		}
	}
}

// isRecorded says whether a place is in a record.
func isRecorded(s Site) bool { return s.Action() == Stay && slices.Contains(records, s.ID()) }
