package migrate

import (
	"bytes"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A selector of kustomize need not tell a group: target: {version: v1beta1, kind: Widget}
// takes the objects of any. Where the version of the kind becomes another one it takes none
// any more, and nobody says so. Such files name no group, so that they are asked for by name.
// Source: sigs.k8s.io/kustomize/kyaml/resid, Gvk.IsSelected.

// versionSelectors are the kustomizations of a tree, while several workers find them.
type versionSelectors struct {
	m     *Migration
	steps []rules.Rule // that give a version another name
	kinds []rules.GVK  // of the tree that rules step which name no kind, in their old groups

	sdk atomic.Bool // operator-sdk is used

	part  bool
	mu    sync.Mutex
	names []string          // of kustomizations
	parts []string          // of files in a part of a tree that one may name
	owned map[string][]byte // files that list what stands below owned APIs
}

// newSelectors is nil where no version becomes another one, and while both are served. A run on
// a part of a tree knows what a kustomization beside it may name.
func (m *Migration) newSelectors(part bool) *versionSelectors {
	if m.opts.Dual {
		return nil
	}
	s := &versionSelectors{m: m, part: part, owned: map[string][]byte{}}
	for _, group := range m.rules.Groups() {
		for _, r := range m.rules.RulesOf(group) {
			if !r.Gone() && r.To.Version != r.From.Version {
				s.steps = append(s.steps, r)
			}
		}
	}
	if len(s.steps) == 0 {
		return nil
	}
	return s
}

// tell hears of a file of the tree.
func (s *versionSelectors) tell(name []byte) {
	if s == nil {
		return
	}
	at := string(name)
	is := isKustomization(at)
	if !is && (!s.part || !isYAML(at)) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if is {
		s.names = append(s.names, at)
	} else {
		s.parts = append(s.parts, at)
	}
}

// isYAML says whether a file is called as one of YAML.
func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// holds says whether a kustomization of a walk may select a kind of the rules.
func (s *versionSelectors) holds(w walk) (bool, error) {
	if s == nil {
		return false, nil
	}
	if asks, err := w.holds([]string{"version:"}, s.names); asks || err != nil {
		return asks, err
	}
	return w.holds([]string{"apiVersion: builtin", "fieldPaths:", "fieldSpecs:"}, s.parts)
}

// ask adds the versions that kustomizations, and what configures these, name beside a kind
// and no group, and those that are listed below owned APIs. Each is for a person; Finish says
// more of some.
func (s *versionSelectors) ask(w walk, files []*File, x *faults) ([]*File, error) {
	if s == nil || len(s.names)+len(s.owned) == 0 || !slices.ContainsFunc(files, func(f *File) bool { return len(f.Sites) > 0 || f.facts != nil }) {
		return files, nil
	}
	s.learn(files)
	found, used, err := s.read(w)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		files = s.tells(files, name, found[name], x, func(data []byte) []edit.Outcome { return s.versions(data, s.isSelector) })
		if i := slices.IndexFunc(files, func(f *File) bool { return f.Path == name }); i >= 0 {
			if files[i].selects = used[name]; isKustomization(name) {
				files[i].selects = []string{name}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.owned)) {
		files = s.tells(files, name, s.owned[name], x, func(data []byte) []edit.Outcome { return s.ownedVersions(name, data) })
	}
	return files, nil
}

// tells adds what is found in a file.
func (s *versionSelectors) tells(files []*File, name string, data []byte, x *faults, find func(data []byte) []edit.Outcome) []*File {
	x.try(s.m, name, data, func() {
		if made := find(data); len(made) > 0 && !s.m.stays(s.m.placeOf(name), data) {
			files = s.m.tell(files, name, data, made)
		}
	})
	return files
}

// read reads the kustomizations with a version or a configuration, and these; used are the
// kustomizations that name a configuration, by its path.
func (s *versionSelectors) read(w walk) (found map[string][]byte, used map[string][]string, err error) {
	var mu sync.Mutex
	found, used = map[string][]byte{}, map[string][]string{}
	holds := map[string][]string{} // the files of a kustomization, by its folder
	keep := func(name string, data []byte) {
		mu.Lock()
		defer mu.Unlock()
		if bytes.Contains(data, []byte("version:")) {
			found[name] = bytes.Clone(data)
		}
		if isKustomization(name) {
			for _, at := range configures(data) {
				at = path.Join(path.Dir(name), at)
				used[at] = append(used[at], name)
			}
			for _, at := range kustomized(data, "resources") {
				holds[path.Dir(name)] = append(holds[path.Dir(name)], path.Join(path.Dir(name), at))
			}
		}
	}
	slices.Sort(s.names)
	if len(s.names) > 0 {
		err = w(search{needles: []string{"version:", "configurations:", "replacements:", "transformers:", "validators:", "generators:", "resources:"}, among: slices.Compact(s.names)}, keep)
	}
	for folder, files := range holds { // transformers: [folder]
		for _, at := range files {
			if by := used[folder]; len(by) > 0 {
				used[at] = append(used[at], by...)
			}
		}
	}
	maps.DeleteFunc(used, func(at string, _ []string) bool { return !isYAML(at) }) // a folder
	if among := slices.Sorted(maps.Keys(used)); len(among) > 0 && err == nil {
		err = w(search{needles: []string{"version:"}, among: among}, keep)
	}
	return found, used, err
}

// learn notes the kinds of the tree of groups whose rules name none.
func (s *versionSelectors) learn(files []*File) {
	for _, r := range s.steps {
		if r.From.Kind != "" {
			continue
		}
		for _, f := range files {
			if f.facts == nil {
				continue
			}
			for _, is := range f.facts.kinds {
				if is.Group == r.From.Group || is.Group == r.To.Group {
					s.kinds = append(s.kinds, rules.GVK{Group: r.From.Group, Kind: is.Kind})
				}
			}
		}
	}
}

// versions are the old versions in some mappings of a file that stand beside a kind of the rules.
func (s *versionSelectors) versions(data []byte, may func(t *text.Tree, mapping int32) bool) []edit.Outcome {
	return s.versionsIn(data, text.SpanOf(0, len(data)), may, 0)
}

// versionsIn are those in a part of a file, and in the blocks of lines in it that are YAML, as a
// transformer that stands in its kustomization.
func (s *versionSelectors) versionsIn(data []byte, part source.Span, may func(t *text.Tree, mapping int32) bool, deep int) []edit.Outcome {
	var made []edit.Outcome
	for _, doc := range text.Documents(part.Of(data), false) {
		doc.Start, doc.End = doc.Start+part.Start, doc.End+part.Start
		t := text.ScanPart(data, doc, false, text.HasTemplate(doc.Of(data)))
		for i := range t.Nodes {
			n := int32(i)
			if style := t.Nodes[n].Style; (style == text.Literal || style == text.Folded) && deep < deepestText && bytes.Contains(t.Nodes[n].Val.Of(data), []byte("version:")) {
				made = append(made, s.versionsIn(data, t.Nodes[n].Val, may, deep+1)...)
				continue
			}
			if t.KeyText(n) != "version" || t.Nodes[n].Style == text.None || !t.Verbatim(n) || !may(t, t.Nodes[n].Parent) {
				continue
			}
			kinds := wordIn.FindAllString(t.Text(t.Value(t.Nodes[n].Parent, "kind")), -1)
			at := t.Nodes[n].Val
			for _, m := range wordIn.FindAllIndex(at.Of(data), -1) {
				if o, ok := s.versionOf(kinds, text.SpanOf(at.Start+m[0], at.Start+m[1]), data, t.Text(n)); ok {
					made = append(made, o)
				}
			}
		}
	}
	return made
}

// wordIn is a word of a selector, which is a regular expression.
// Source: sigs.k8s.io/kustomize/api/types, Selector.
var wordIn = lazyregexp.New(`\w+`)

// isSelector says whether a mapping names no group, or has an expression for it that matches one
// of the rules without naming it.
func (s *versionSelectors) isSelector(t *text.Tree, mapping int32) bool {
	if at := t.Value(mapping, "group"); at >= 0 {
		is := t.Text(at)
		return slices.ContainsFunc(s.steps, func(r rules.Rule) bool { return matchesGroup(is, r.From.Group) || matchesGroup(is, r.To.Group) }) &&
			!slices.ContainsFunc(s.steps, func(r rules.Rule) bool { return strings.Contains(is, r.From.Group) })
	}
	return !slices.ContainsFunc([]string{"apiVersion", "apiGroup"}, func(key string) bool { return t.Value(mapping, key) >= 0 })
}

// matchesGroup says whether a value is an expression that matches a group.
func matchesGroup(value, group string) bool {
	if !strings.ContainsAny(value, "|*+?^$()[") {
		return false
	}
	is, err := regexp.Compile("^(?:" + value + ")$")
	return err == nil && is.MatchString(group)
}

// versionOf is a version beside kinds that becomes another one, for a person; false for any
// other, and for one that is named with what it becomes.
func (s *versionSelectors) versionOf(kinds []string, at source.Span, data []byte, all string) (edit.Outcome, bool) {
	version := string(at.Of(data))
	for _, kind := range kinds {
		for _, r := range s.steps {
			group := r.From.Group
			if r.From.Kind != kind && (r.From.Kind != "" || !slices.Contains(s.kinds, rules.GVK{Group: group, Kind: kind})) {
				continue
			}
			to := s.m.rules.Ask(rules.GVK{Group: group, Version: version, Kind: kind})
			if to.Outcome != rules.Moves || to.To.Version == version || slices.Contains(wordIn.FindAllString(all, -1), to.To.Version) {
				continue
			}
			o := edit.Outcome{Span: at, Role: find.RoleVersion, Rule: to.Rule.ID, Ruleset: to.Rule.Set, Old: version, New: to.To.Version}
			return o.Leave("no-group", "nothing beside it tells a group; "+version+" of "+kind+" in "+group+" becomes "+o.New, "write "+o.New+" here, or keep it"), true
		}
	}
	return edit.Outcome{}, false
}

// configures are the files in which a kustomization has what it selects by: the configurations of
// its fields, its replacements, and what transforms, makes or checks its objects.
// Source: sigs.k8s.io/kustomize/api/types, Kustomization, ReplacementField.
func configures(data []byte) []string {
	list := kustomized(data, "configurations", "transformers", "validators", "generators")
	t := text.ScanYAML(data, 0, len(data), false)
	if n := t.Value(-1, "replacements"); n >= 0 {
		for _, item := range t.Children(n) {
			if at := t.Text(t.Value(item, "path")); t.Nodes[item].Style == text.None && at != "" {
				list = append(list, at)
			}
		}
	}
	return slices.DeleteFunc(list, func(s string) bool { return strings.ContainsAny(s, "\n:") })
}

// kustomized are the scalars of lists at the top of a kustomization.
func kustomized(data []byte, keys ...string) []string {
	var list []string
	t := text.ScanYAML(data, 0, len(data), false)
	for _, key := range keys {
		if n := t.Value(-1, key); n >= 0 {
			list = append(list, t.TextsOf(t.Children(n))...)
		}
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == "" || strings.HasPrefix(s, "/") })
}
