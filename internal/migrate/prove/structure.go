package prove

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	plain "github.com/project-codeflare/cfctl/internal/migrate/core/prove"
	"github.com/project-codeflare/cfctl/internal/source"
)

// structure compares what the file means before and after.
func (c *check) structure() error {
	f := c.file
	switch f.Format {
	case "yaml":
		return c.stream()
	case "json", "notebook":
		return c.json()
	case "helm":
		return c.template()
	case "go":
		return c.golang()
	}
	return c.text(string(f.Before), string(f.After))
}

// readable says whether the documents that the edits touch parse as they are.
func (c *check) readable() error {
	if c.file.Format != "yaml" {
		return nil
	}
	for _, k := range chunks(c.file.Before, c.file.Edits) {
		if plain.IsPlain(k.before.Of(c.file.Before)) {
			continue
		}
		if _, err := parseYAML(k.before.Of(c.file.Before)); err != nil {
			return &Unread{c.unread(k.before, err)}
		}
	}
	return nil
}

// stream compares the documents of a YAML stream that the edits touch.
func (c *check) stream() error {
	for _, k := range chunks(c.file.Before, c.file.Edits) {
		c.at = max(k.before.Start, c.at)
		before, err := parseYAML(k.before.Of(c.file.Before))
		if err != nil {
			return &Unread{c.unread(k.before, err)}
		}
		after, err := parseYAML(k.after.Of(c.file.After))
		if err != nil {
			return fmt.Errorf("it would not parse: %w", err)
		}
		if err := c.documents(before, after); err != nil {
			return err
		}
		if err := c.comments(k.before.Of(c.file.Before), k.after.Of(c.file.After)); err != nil {
			return err
		}
		c.at = k.before.End
	}
	return nil
}

// unread turns "yaml: line N: cause" into a place in the file.
func (c *check) unread(s source.Span, err error) *source.Error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	var line int
	if n, _ := fmt.Sscanf(text, "line %d:", &line); n == 1 {
		_, text, _ = strings.Cut(text, ": ")
		line += bytes.Count(c.file.Before[:s.Start], []byte("\n"))
	}
	return &source.Error{Path: c.file.Path, Pos: source.Position{Line: line}, Err: errors.New(text)}
}

// json compares JSON, with comments or without. What is no JSON is text.
func (c *check) json() error {
	before, after := c.file.Before, c.file.After
	docs, err := parseJSON(before)
	if err != nil {
		before, after = withoutComments(before), withoutComments(after)
		docs, err = parseJSON(before)
	}
	if err != nil {
		return c.text(string(c.file.Before), string(c.file.After))
	}
	fresh, err := parseJSON(after)
	if err != nil {
		return fmt.Errorf("it would not be JSON: %w", err)
	}
	return c.documents(docs, fresh)
}

// template compares a template of YAML with its actions taken as values, or
// without them. Where it does not parse like that, it is text.
func (c *check) template() error {
	before, after := string(c.file.Before), string(c.file.After)
	if err := c.sameActions(before, after); err != nil {
		return err
	}
	if k := chunks(c.file.Before, c.file.Edits); len(k) == 1 {
		before, after = string(k[0].before.Of(c.file.Before)), string(k[0].after.Of(c.file.After))
	}
	a, b := c.bothMasked(before, after)
	docs, err := parseYAML([]byte(a))
	if err != nil {
		slash := strings.NewReplacer(`\/`, "/") // which JSON has, and the parser of YAML does not know
		a, b = slash.Replace(withoutActions(before)), slash.Replace(withoutActions(after))
		docs, err = parseYAML([]byte(a))
	}
	if err != nil {
		return c.text(before, after)
	}
	fresh, err := parseYAML([]byte(b))
	if err != nil {
		return fmt.Errorf("it would not parse: %w", err)
	}
	if err := c.documents(docs, fresh); err != nil {
		return err
	}
	return c.comments(c.file.Before, c.file.After)
}

// sameActions says whether a template has the actions that it had: in their
// order, unless shapes change or permissions get lines of their own.
func (c *check) sameActions(a, b string) error {
	before, after := c.stayingActions(a, actionTexts(b)), actionTexts(b)
	if c.file.Shaped {
		return nil // they are values, and go where those go
	}
	for i, x := range before {
		n := slices.IndexFunc(after, func(y string) bool { return c.explains(x, y) })
		if n < 0 || n > 0 && !c.file.Dual {
			return fmt.Errorf("the action %.60q, number %d of the template, would be lost", x, i+1)
		}
		after = after[n+1:]
	}
	if len(after) > 0 && !c.file.Dual {
		return fmt.Errorf("the action %.60q would come from nowhere", after[0])
	}
	return nil
}

// documents compares two streams. A document more or less is a CRD that is
// there in the new group as well.
func (c *check) documents(before, after []*yaml.Node) error {
	if err := c.list(before, after); err != nil {
		return err
	}
	return c.crds(before, after)
}

// node compares two values: they differ in scalars only, each by what the
// rules permit, and in what belongs together (permissions, shapes) as a whole.
func (c *check) node(a, b *yaml.Node) error {
	if a.Kind == yaml.DocumentNode && b.Kind == yaml.DocumentNode {
		return c.list(a.Content, b.Content)
	}
	if a.Kind != b.Kind || a.Anchor != b.Anchor || a.ShortTag() != b.ShortTag() {
		return differ("%s would become %s", describe(a), describe(b))
	}
	switch a.Kind {
	case yaml.ScalarNode:
		return c.scalar(a.Value, b.Value)
	case yaml.AliasNode:
		if a.Value != b.Value {
			return differ("the alias %s would become %s", a.Value, b.Value)
		}
		return nil
	case yaml.SequenceNode:
		if isPermissions(a) {
			return c.permissions(a, b)
		}
		if c.file.Format == "notebook" && isText(a) && isText(b) {
			return c.text(joinedText(a), joinedText(b))
		}
		return c.list(a.Content, b.Content)
	}
	return c.mapping(a, b)
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.ScalarNode:
		return fmt.Sprintf("the %s %.60q", strings.TrimPrefix(n.ShortTag(), "!!"), n.Value)
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	return "a document"
}

// mapping compares entries in their order. An object whose shape changes is
// compared value by value.
func (c *check) mapping(a, b *yaml.Node) error {
	if alone := (&yaml.Node{Content: []*yaml.Node{a}}); isPermissions(alone) {
		if value(a, resourcesOf(a)) == nil && c.entries(a, b) == nil { // values of a chart: it permits nothing
			return nil
		}
		return c.permissions(alone, &yaml.Node{Content: []*yaml.Node{b}})
	}
	plain := c.entries(a, b)
	if plain == nil {
		return c.object(a, b)
	}
	if c.file.Shaped || c.loose {
		if list := c.conversions(a); len(list) > 0 {
			return c.shape(a, b, list)
		}
	}
	return plain
}

func (c *check) entries(a, b *yaml.Node) error {
	if len(a.Content) != len(b.Content) {
		return differ("%d entries would become %d", len(a.Content)/2, len(b.Content)/2)
	}
	for i := 0; i+1 < len(a.Content); i += 2 {
		key := a.Content[i].Value
		if err := c.node(a.Content[i], b.Content[i]); err != nil {
			return under("the key "+key, err)
		}
		if err := c.node(a.Content[i+1], b.Content[i+1]); err != nil {
			return under(key, err)
		}
	}
	return nil
}

// list compares items in their order. One that goes must be in the list as
// what it becomes; one that comes must be what another one becomes.
func (c *check) list(a, b []*yaml.Node) error {
	if len(a) == len(b) {
		for i := range a {
			if err := c.node(a[i], b[i]); err != nil {
				return under(fmt.Sprintf("[%d]", i), err)
			}
		}
		return nil
	}
	if len(b) > len(a) && !c.file.Dual {
		return differ("%d items would become %d", len(a), len(b))
	}
	if err := twice(a, b); err != nil {
		return err
	}
	i, j := 0, 0
	left, came := -1, -1 // where the last one was found
	for i < len(a) || j < len(b) {
		if i < len(a) && j < len(b) && c.node(a[i], b[j]) == nil {
			i++
			j++
			continue
		}
		is := func(x, y *yaml.Node) bool { return c.node(x, y) == nil }
		switch {
		case len(b) < len(a) && i < len(a) && after(&left, b, func(y *yaml.Node) bool { return is(a[i], y) || c.sameName(a[i], y) }):
			c.lost = c.lost || a[i].Kind == yaml.MappingNode // its comments go with it
			i++
		case len(b) > len(a) && j < len(b) && after(&came, a, func(x *yaml.Node) bool { return is(x, b[j]) }):
			j++
		case i < len(a):
			return differ("%s would vanish, or become another one", describeItem(a[i]))
		default:
			return differ("%s would come from nowhere", describeItem(b[j]))
		}
	}
	return nil
}

// after says whether a list has an item, and notes where. It looks behind the last
// one that it found first: what goes and comes is in the order of the list, mostly,
// and the work as large as that.
func after(last *int, list []*yaml.Node, is func(*yaml.Node) bool) bool {
	for n := range list {
		if at := (*last + 1 + n) % len(list); is(list[at]) {
			*last = at
			return true
		}
	}
	return false
}

// sameName says whether an item is called what another one becomes: an entry
// or an object of that name is there once.
func (c *check) sameName(a, b *yaml.Node) bool {
	old, fresh := nameOf(a), nameOf(b)
	if len(old) == 0 || len(old) != len(fresh) {
		return false
	}
	for i := range old {
		if !c.explains(old[i], fresh[i]) {
			return false
		}
	}
	return c.object(a, b) == nil
}

// nameOf is what tells an object or an entry from others, nil for what has no
// name.
func nameOf(n *yaml.Node) []string {
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	if name := textAt(n, "metadata", "name"); name != "" {
		return []string{name, textAt(n, "metadata", "namespace"), textAt(n, "apiVersion"), textAt(n, "kind")}
	}
	if name := textAt(n, "name"); name != "" {
		return []string{name, textAt(n, "version"), textAt(n, "kind")}
	}
	return nil
}

// twice says whether an item stands twice in a list that stood there once.
func twice(a, b []*yaml.Node) error { return moreThan(1, a, b) }

// moreThan says whether an item stands in a list more often than some times, and
// than it did before.
func moreThan(times int, a, b []*yaml.Node) error {
	count := map[string]int{}
	for _, x := range a {
		count[spelled(x)]++
	}
	seen := map[string]int{}
	for _, y := range b {
		text := spelled(y)
		if seen[text]++; seen[text] > max(times, count[text]) {
			return differ("%s would be there twice", describeItem(y))
		}
	}
	return nil
}

// spelled is a value in one form, however it is written.
func spelled(n *yaml.Node) string {
	var b strings.Builder
	flat(&b, n)
	return b.String()
}

func describeItem(n *yaml.Node) string {
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == "name" && n.Content[i+1].Kind == yaml.ScalarNode {
				return fmt.Sprintf("the item %.60q", n.Content[i+1].Value)
			}
		}
	}
	return describe(n)
}

// scalar compares two texts: documents in them as documents, everything else
// word by word.
func (c *check) scalar(a, b string) error {
	if a == b {
		return nil
	}
	if strings.ContainsAny(a, "\n{[") {
		if before, after, isDoc, ok := c.parseBoth(a, b); isDoc {
			if !ok {
				return differ("the document in a string would not parse: %.60q", b)
			}
			if c.list(before, after) == nil {
				return c.comments([]byte(a), []byte(b))
			}
			if strings.IndexByte("{[", strings.TrimLeft(a, " \t\r\n")[0]) >= 0 || !strings.Contains(a, "```") {
				return c.list(before, after)
			}
		}
		return c.prose(a, b, c.file.Format != "yaml" && c.file.Format != "json" && c.loose)
	}
	return c.line(a, b)
}

// line compares two texts that hold no document.
func (c *check) line(a, b string) error {
	if c.explains(a, b) {
		return c.apiVersion(a, b)
	}
	return differ("%.80q would become %.80q, which no rule says", a, b)
}

// apiVersion holds a text that is nothing but a group and a version against
// the rules: both change together.
func (c *check) apiVersion(a, b string) error {
	from, to := split(a), split(b)
	if !c.rules.groups[from.Group] || !isVersion(from.Version) || c.rules.becomes(from, to) {
		return nil
	}
	return differ("no rule makes %s of %s", b, a)
}

var version = lazyregexp.New(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`)

func isVersion(s string) bool { return version.MatchString(s) }

// object holds the group, version and kind of an object, or of an entry that names
// one, against the rules: they change together.
func (c *check) object(a, b *yaml.Node) error {
	a, b = merged(a), merged(b)
	list := tellers
	if c.vocabulary == &c.rules.project {
		list = list[:1] // its versions are those of folders of Go
	}
	for i, told := range list {
		from, ok := told(a)
		to, also := told(b)
		if !ok || !also || from == to || i > 0 && !c.rules.groups[from.Group] {
			continue
		}
		kind, other := from.Kind, to.Kind
		if !isKind(kind) {
			from.Kind, to.Kind = "", ""
		}
		if !c.rules.becomes(from, to) && (i > 0 || !c.filledIn([4]string{entry(a, "apiVersion").Value, kind, entry(b, "apiVersion").Value, other})) {
			return differ("no rule makes %s of %s", to, from)
		}
	}
	return nil
}

// tellers read what a mapping is about, or names: an object, a group beside its
// version, a resource by the name of its CRD beside its version.
var tellers = []func(*yaml.Node) (GVK, bool){
	func(n *yaml.Node) (GVK, bool) {
		av, kind := entry(n, "apiVersion"), entry(n, "kind")
		if av == nil || kind == nil {
			return GVK{}, false
		}
		at := split(av.Value)
		for _, key := range []string{"apiGroup", "group"} { // a reference, in parts
			if group := entry(n, key); group != nil && at.Group == "" && (key == "apiGroup" || strings.Contains(group.Value, ".")) {
				at.Group = group.Value
			}
		}
		return withKind(at, kind.Value), true
	},
	func(n *yaml.Node) (GVK, bool) {
		group, version := entry(n, "group"), entry(n, "version")
		if group == nil || version == nil || !isVersion(version.Value) {
			return GVK{}, false
		}
		return GVK{Group: group.Value, Version: version.Value, Kind: textAt(n, "kind")}, true
	},
	func(n *yaml.Node) (GVK, bool) {
		plural, group, ok := strings.Cut(textAt(n, "name"), ".")
		version := entry(n, "version")
		if !ok || version == nil || !isVersion(version.Value) || textAt(n, "group") != "" { // the version is of that group
			return GVK{}, false
		}
		return GVK{Group: group, Version: version.Value, Kind: textAt(n, "kind"), Plural: plural}, true
	},
}

// String is a GVK as people write it.
func (g GVK) String() string {
	return strings.TrimSpace(strings.TrimPrefix(g.Group+"/"+g.Version, "/") + " " + cmp.Or(g.Kind, g.Plural))
}

// isKind says whether a text is a kind and not a placeholder or a sentence.
func isKind(s string) bool {
	return s != "" && s[0] >= 'A' && s[0] <= 'Z' && letters.FindString(s) == s
}

// entry is the scalar at a key of a mapping, or nil.
func entry(n *yaml.Node, key string) *yaml.Node {
	if v := value(n, key); v != nil && v.Kind == yaml.ScalarNode {
		return v
	}
	return nil
}

// value is what stands at a key of a mapping, or nil.
func value(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
