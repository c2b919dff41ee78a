package migrate

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// An object of a chart may have its version filled in: apiVersion: GROUP/{{ .Values.version }}.
// Where its kind gets another version, the one that stands in the template, or in the values
// of the chart, is for a person.

// filledVersions are the charts of a tree, while several workers hear of their files.
type filledVersions struct {
	m     *Migration
	steps []rules.Rule // that give a version of a kind another name, or take it away
	heads []string     // what a template of theirs holds: the kind, or of a rule without one the group

	mu        sync.Mutex
	templates []string
	values    []string
}

// newFilledVersions is nil where no version of a kind becomes another one, and while both are
// served.
func (m *Migration) newFilledVersions() *filledVersions {
	if m.opts.Dual {
		return nil
	}
	v := &filledVersions{m: m}
	for _, group := range m.rules.Groups() {
		for _, r := range m.rules.RulesOf(group) {
			if r.From.Version != "" && (r.Gone() || r.To.Version != r.From.Version) {
				v.steps = append(v.steps, r)
				v.heads = append(v.heads, cmp.Or(r.From.Kind, r.From.Group), cmp.Or(r.To.Kind, r.To.Group, r.From.Kind))
			}
		}
	}
	if len(v.steps) == 0 {
		return nil
	}
	return v
}

// tell hears of a file of the tree.
func (v *filledVersions) tell(name []byte) {
	if v == nil || !bytes.HasSuffix(name, []byte("ml")) {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if valuesName.Match(name[bytes.LastIndexByte(name, '/')+1:]) {
		v.values = append(v.values, string(name))
	} else if _, ok := v.chartOf(string(name)); ok {
		v.templates = append(v.templates, string(name))
	}
}

// chartOf is the folder of the chart that a template is of, with its slash; false for any other
// file.
func (v *filledVersions) chartOf(name string) (string, bool) {
	dir := "/" + path.Dir(v.m.placeOf(name)) + "/"
	i := strings.LastIndex(dir, "/templates/")
	return dir[1 : max(0, i)+1], i >= 0
}

// holds says whether a template of a walk may fill in a version.
func (v *filledVersions) holds(w walk) (bool, error) {
	if v == nil {
		return false, nil
	}
	return w.holds(v.heads, v.templates)
}

// A filledVersion is an object of a template whose version is filled in, and the rule for it.
type filledVersion struct {
	rule rules.Rule
	at   source.Span // of its apiVersion
}

// ask adds the old versions that are filled in for objects of kinds which get another one.
func (v *filledVersions) ask(w walk, files []*File, x *faults) ([]*File, error) {
	if v == nil || len(v.templates) == 0 {
		return files, nil
	}
	var mu sync.Mutex
	contents := map[string][]byte{}
	slices.Sort(v.templates)
	err := w(search{needles: v.heads, among: v.templates}, func(name string, data []byte) {
		if filledHead.Match(data) {
			mu.Lock()
			defer mu.Unlock()
			contents[name] = bytes.Clone(data)
		}
	})
	if err != nil || len(contents) == 0 {
		return files, err
	}
	slices.Sort(v.values)
	given := map[string]*text.Tree{}
	if len(v.values) > 0 {
		err = w(search{all: true, among: v.values}, func(name string, data []byte) {
			t := text.ScanYAML(bytes.Clone(data), 0, len(data), false)
			mu.Lock()
			defer mu.Unlock()
			given[name] = t
		})
	}
	told := map[string][]edit.Outcome{}
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		x.try(v.m, name, contents[name], func() { v.template(name, contents[name], given, told) })
	}
	for name, t := range given {
		contents[name] = t.Data
	}
	for _, name := range slices.Sorted(maps.Keys(told)) {
		if data := contents[name]; !v.m.stays(v.m.placeOf(name), data) {
			files = v.m.tell(files, name, data, notSited(files, name, told[name]))
		}
	}
	return files, err
}

// filledHead is an apiVersion in which something is filled in.
var filledHead = lazyregexp.New(`apiVersion:[^\n]*\{\{`)

// template tells of the versions of the objects of one template.
func (v *filledVersions) template(name string, data []byte, given map[string]*text.Tree, told map[string][]edit.Outcome) {
	values := map[string]*text.Tree{}
	chart, _ := v.chartOf(name)
	for file, t := range given {
		if strings.HasPrefix(v.m.placeOf(file), chart) {
			values[file] = t
		}
	}
	tell := func(file string, data []byte, at source.Span, r rules.Rule) {
		if o := filledFor(r, at, string(at.Of(data))); !slices.ContainsFunc(told[file], func(x edit.Outcome) bool { return x.Span == at }) {
			told[file] = append(told[file], o)
		}
	}
	for _, object := range v.objects(data, values) {
		for _, at := range inActions(data, object.at, object.rule.From.Version) {
			tell(name, data, at, object.rule)
		}
		find.EachName(object.at.Of(data), func(called string, _ source.Span) {
			for _, file := range slices.Sorted(maps.Keys(values)) {
				t := values[file]
				if n := valueAt(t, called); n >= 0 && t.Verbatim(n) && t.Text(n) == object.rule.From.Version {
					tell(file, t.Data, t.Nodes[n].Val, object.rule)
				}
			}
		})
	}
}

// filledFor is a version that a template fills in for what a rule speaks of.
func filledFor(r rules.Rule, at source.Span, version string) edit.Outcome {
	of := r.From.Group
	if r.From.Kind != "" {
		of = r.From.Kind + " in " + of
	}
	o := edit.Outcome{Span: at, Role: find.RoleVersion, Rule: r.ID, Ruleset: r.Set, Old: version, New: r.To.Version}
	if why := "a template fills it in for the version of " + of + ", which "; r.Gone() {
		return o.Leave("removed", why+"is removed: "+r.Removed, "")
	} else {
		return o.Leave("no-group", why+"becomes "+r.To.Version, "write "+r.To.Version+" here, or keep it")
	}
}

// objects are those of a template whose version is filled in, and gets another name by a rule.
func (v *filledVersions) objects(data []byte, values map[string]*text.Tree) []filledVersion {
	var list []filledVersion
	for _, doc := range text.Documents(data, false) {
		t := text.ScanPart(data, doc, false, true)
		for i := range t.Nodes {
			n := int32(i)
			if t.KeyText(n) != "apiVersion" || !bytes.Contains(t.Nodes[n].Val.Of(data), []byte("{{")) {
				continue
			}
			kind := t.Text(t.Value(t.Nodes[n].Parent, "kind"))
			for _, r := range v.steps {
				if isOf(r, kind) && (fillsGroup(t.Nodes[n].Val.Of(data), r.From.Group, values) || r.To.Group != "" && fillsGroup(t.Nodes[n].Val.Of(data), r.To.Group, values)) {
					list = append(list, filledVersion{r, t.Nodes[n].Val})
				}
			}
		}
	}
	return list
}

// isOf says whether a rule speaks of a kind, by its old name or its new one.
func isOf(r rules.Rule, kind string) bool {
	return kind != "" && (r.From.Kind == "" || r.From.Kind == kind || r.To.Kind == kind)
}

// fillsGroup says whether an apiVersion with actions has a group: it spells it, or fills in a
// value that is it.
func fillsGroup(version []byte, group string, values map[string]*text.Tree) bool {
	if bytes.Contains(version, []byte(group+"/")) {
		return true
	}
	says := false
	find.EachName(version, func(called string, _ source.Span) {
		for _, t := range values {
			n := valueAt(t, called)
			says = says || n >= 0 && t.Text(n) == group
		}
	})
	return says
}

// valueAt is the value that a name of a template stands for, .Values.api.version; -1 for none.
func valueAt(t *text.Tree, called string) int32 {
	keys, ok := strings.CutPrefix(called, ".Values.")
	if !ok {
		return -1
	}
	n := int32(-1)
	for key := range strings.SplitSeq(keys, ".") {
		if n = t.Value(n, key); n < 0 {
			return -1
		}
	}
	return n
}

// inActions are the places of a version in an apiVersion, where no group stands before it: a
// string of an action, or a branch. There are none where another version stands beside it, of
// which the template chooses one.
func inActions(data []byte, at source.Span, version string) []source.Span {
	var list []source.Span
	for _, m := range versionWord.FindAllIndex(at.Of(data), -1) {
		word := text.SpanOf(at.Start+m[0], at.Start+m[1])
		switch before := data[at.Start:word.Start]; {
		case string(word.Of(data)) != version:
			return nil
		case !bytes.HasSuffix(before, []byte("/")) || bytes.HasSuffix(before, []byte("}}/")):
			list = append(list, word)
		}
	}
	return list
}

// versionWord is a version of an API.
var versionWord = lazyregexp.New(`\bv[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?\b`)
