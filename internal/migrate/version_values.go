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
// Where its kind gets another version, the one that stands in the template, in a variable or a
// named template that it fills in, or in the values of the chart, is for a person.

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
	if v == nil || !bytes.HasSuffix(name, []byte("ml")) && !bytes.HasSuffix(name, []byte(".tpl")) {
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
	chart := chartTexts{values: map[string]*text.Tree{}, named: map[string][]filling{}}
	slices.Sort(v.values)
	if len(v.values) > 0 {
		err = w(search{all: true, among: v.values}, func(name string, data []byte) {
			t := text.ScanYAML(bytes.Clone(data), 0, len(data), false)
			mu.Lock()
			defer mu.Unlock()
			chart.values[name] = t
		})
	}
	if err == nil && slices.ContainsFunc(slices.Collect(maps.Values(contents)), includes.Match) {
		err = w(search{needles: []string{"define"}, among: v.templates}, func(name string, data []byte) {
			data = bytes.Clone(data)
			mu.Lock()
			defer mu.Unlock()
			for called, at := range definedIn(data) {
				chart.named[called] = append(chart.named[called], filling{name, data, []source.Span{at}})
			}
		})
	}
	if err != nil {
		return files, err
	}
	told := map[string][]edit.Outcome{}
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		x.try(v.m, name, contents[name], func() { v.template(name, contents[name], v.ofChart(chart, name), told) })
	}
	for _, list := range chart.named {
		for _, f := range list {
			contents[f.file] = f.data
		}
	}
	for name, t := range chart.values {
		contents[name] = t.Data
	}
	for _, name := range slices.Sorted(maps.Keys(told)) {
		if data := contents[name]; !v.m.stays(v.m.placeOf(name), data) {
			files = v.m.tell(files, name, data, notSited(files, name, leaveWhole(files, name, told[name])))
		}
	}
	return files, nil
}

// leaveWhole leaves the sites to a person of which a part is told of, GROUP/VERSION, and gives
// the rest of what is to be told.
func leaveWhole(files []*File, name string, told []edit.Outcome) []edit.Outcome {
	i := slices.IndexFunc(files, func(f *File) bool { return f.Path == name })
	if i < 0 {
		return told
	}
	f := files[i]
	return slices.DeleteFunc(told, func(o edit.Outcome) bool {
		at := slices.IndexFunc(f.Sites, func(s Site) bool { return s.Action() == Change && s.Start < o.Start && s.End == o.End })
		if at < 0 {
			return false
		}
		left, hint := f.Sites[at].Outcome, o.Hint
		if group, _, ok := strings.Cut(left.New, "/"); ok && o.New != "" {
			hint = "write " + group + "/" + o.New + " here, or keep it"
		}
		left.New, left.Rule, left.Ruleset = "", o.Rule, o.Ruleset
		f.Sites[at], f.left = f.Sites[at].with(left.Leave(o.Reason, o.Why, hint)), true
		return true
	})
}

// filledHead is an apiVersion in which something is filled in.
var filledHead = lazyregexp.New(`apiVersion:[^\n]*\{\{`)

// template tells of the versions of the objects of one template.
func (v *filledVersions) template(name string, data []byte, chart chartTexts, told map[string][]edit.Outcome) {
	for _, doc := range text.Documents(data, false) {
		t := text.ScanPart(data, doc, false, true)
		for i := range t.Nodes {
			n := int32(i)
			if t.KeyText(n) != "apiVersion" || !bytes.Contains(t.Nodes[n].Val.Of(data), []byte("{{")) {
				continue
			}
			kind := t.Text(t.Value(t.Nodes[n].Parent, "kind"))
			own := filling{name, data, []source.Span{t.Nodes[n].Val}}
			var list []filling // the first is what stands there
			for _, r := range v.steps {
				if !isOf(r, kind) {
					continue
				}
				if list == nil {
					list = chart.reach(own)
				}
				if !slices.ContainsFunc(list, func(f filling) bool { return f.holds(r.From.Group) || r.To.Group != "" && f.holds(r.To.Group) }) {
					continue
				}
				for j, f := range list {
					for _, at := range f.versions(r.From.Version, j == 0) {
						o := filledFor(r, at, r.From.Version)
						if !slices.ContainsFunc(told[f.file], func(x edit.Outcome) bool { return x.Span == at }) {
							told[f.file] = append(told[f.file], o)
						}
					}
				}
			}
		}
	}
}

// chartTexts is what templates fill in: the values of a chart, by their files, and the bodies of
// named templates, by their names.
type chartTexts struct {
	values map[string]*text.Tree
	named  map[string][]filling
}

// ofChart is what the templates of the chart of one of them fill in. Named templates are those of
// all charts, as a chart has those of the charts in it and of its libraries.
func (v *filledVersions) ofChart(all chartTexts, name string) chartTexts {
	chart, _ := v.chartOf(name)
	own := chartTexts{values: map[string]*text.Tree{}, named: all.named}
	for file, t := range all.values {
		if strings.HasPrefix(v.m.placeOf(file), chart) {
			own.values[file] = t
		}
	}
	return own
}

// A filling is what is filled in for one name: the places of its file that are given to it.
type filling struct {
	file string
	data []byte
	at   []source.Span
}

// reach is a text of a template and all that it fills in: values, variables of its file, named
// templates, and what these fill in.
func (c chartTexts) reach(own filling) []filling {
	list := []filling{own}
	seen := map[string]bool{}
	for i := 0; i < len(list) && i < fillingsAtMost; i++ {
		f := list[i]
		for _, at := range f.at {
			find.EachName(at.Of(f.data), func(called string, _ source.Span) {
				switch key := f.file + " " + called; {
				case seen[key]:
				case strings.HasPrefix(called, "$"):
					seen[key] = true
					if given := variable(f.data, called); len(given) > 0 {
						list = append(list, filling{f.file, f.data, given})
					}
				case strings.HasPrefix(called, ".Values."):
					seen[key] = true
					list = append(list, c.value(called)...)
				}
			})
			for _, m := range includes.FindAllSubmatch(at.Of(f.data), -1) {
				if called := string(m[1]); !seen[called] {
					seen[called] = true
					list = append(list, c.named[called]...)
				}
			}
		}
	}
	return list
}

// fillingsAtMost bounds what one apiVersion is made of.
const fillingsAtMost = 100

// includes is what fills in a named template: (1) its name.
// Source: https://helm.sh/docs/chart_template_guide/named_templates/
var includes = lazyregexp.New(`\b(?:include|template)\s+"([^"\n]+)"`)

// value are the values that a name of a template stands for, of those which are one word.
func (c chartTexts) value(called string) []filling {
	var list []filling
	for _, file := range slices.Sorted(maps.Keys(c.values)) {
		t := c.values[file]
		if n := valueAt(t, called); n >= 0 && t.Verbatim(n) && apiWord.MatchString(t.Text(n)) {
			list = append(list, filling{file, t.Data, []source.Span{t.Nodes[n].Val}})
		}
	}
	return list
}

// apiWord is a group, a version or both.
var apiWord = lazyregexp.New(`^[\w.-]+(?:/v[0-9]\w*)?$`)

// variable is what a variable of a template is given, in all places.
func variable(data []byte, name string) []source.Span {
	var list []source.Span
	for _, m := range givenVariable.FindAllSubmatchIndex(data, -1) {
		if string(data[m[2]:m[3]]) == name {
			list = append(list, text.SpanOf(m[4], m[5]))
		}
	}
	return list
}

// givenVariable is (1) a variable of a template that is given (2) something.
var givenVariable = lazyregexp.New(`\{\{-?\s*(?:with\s+|if\s+)?(\$\w+)\s*:?=\s*([^\n]*?)\s*-?\}\}`)

// definedIn are the bodies of the named templates of a file, up to the end of what begins there.
func definedIn(data []byte) map[string]source.Span {
	list := map[string]source.Span{}
	for _, m := range defineHead.FindAllSubmatchIndex(data, -1) {
		depth, end := 1, len(data)
		for _, b := range blockWord.FindAllSubmatchIndex(data[m[1]:], -1) {
			if depth++; string(data[m[1]+b[2]:m[1]+b[3]]) == "end" {
				depth -= 2
			}
			if depth == 0 {
				end = m[1] + b[0]
				break
			}
		}
		list[string(data[m[2]:m[3]])] = text.SpanOf(m[1], end)
	}
	return list
}

var (
	// defineHead begins a named template: (1) its name.
	defineHead = lazyregexp.New(`\{\{-?\s*define\s+"([^"\n]+)"\s*-?\}\}`)
	// blockWord begins a block of a template, or ends one.
	// Source: https://pkg.go.dev/text/template, Actions.
	blockWord = lazyregexp.New(`\{\{-?\s*(if|with|range|define|block|end)\b`)
)

// holds says whether a group stands in what is filled in.
func (f filling) holds(group string) bool {
	return slices.ContainsFunc(f.at, func(at source.Span) bool { return holdsGroup(string(at.Of(f.data)), group) })
}

// versions are the places of a version in what is filled in; own is an apiVersion itself, where
// one that stands behind its group is answered with it. There are none where another version
// stands beside it, of which the template chooses one.
func (f filling) versions(version string, own bool) []source.Span {
	var list []source.Span
	for _, in := range f.at {
		for _, m := range versionWord.FindAllIndex(in.Of(f.data), -1) {
			word := text.SpanOf(in.Start+m[0], in.Start+m[1])
			switch before := f.data[in.Start:word.Start]; {
			case string(word.Of(f.data)) != version:
				return nil
			case !own || !bytes.HasSuffix(before, []byte("/")) || filledBefore.Match(before):
				list = append(list, word)
			}
		}
	}
	return list
}

// filledBefore is a group that is filled in, before its version.
var filledBefore = lazyregexp.New(`(?:\}\}|%[sv])/$`)

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

// isOf says whether a rule speaks of a kind, by its old name or its new one.
func isOf(r rules.Rule, kind string) bool {
	return kind != "" && (r.From.Kind == "" || r.From.Kind == kind || r.To.Kind == kind)
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

// versionWord is a version of an API.
var versionWord = lazyregexp.New(`\bv[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?\b`)
