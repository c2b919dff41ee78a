package judge

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Rows are asked in this order.
var Rows = []Row{
	{ID: "both-names-text", Role: "prose", Say: Keep, Why: "its line names the new group as well", When: func(c *Case) bool {
		return c.isText() && !c.inMarker() && c.bothNames()
	}},
	{ID: "both-names", Role: "literal", Say: Review, Why: "its line names the new group as well", Hint: "decide whether the code needs both", When: func(c *Case) bool {
		return c.Rule == nil && c.Token.Form != names.Longer && c.Token.Form != names.Host && !inLabels(c) && !c.named(hostNames) && !c.named(agreedNames) && (c.inCode() && c.bothNames() && !c.inMarker() || (c.Leaf.Item || c.Leaf.Kind == syntax.Key && c.inCode()) && c.Whole && c.besideNew())
	}},
	{ID: "past-name", Role: "literal", Say: Keep, Why: "its name says that it is what was", When: func(c *Case) bool {
		return c.Leaf.Kind == syntax.Entry && c.inCode() && pastName.MatchString(c.Leaf.Named().Name)
	}},
	{ID: "template-choice", Role: "apiVersion", Say: Review, Why: "the template chooses by what the cluster serves", Hint: "decide which versions the chart supports", When: func(c *Case) bool {
		return !c.CRD && c.inChoice() && (c.Token.Form == names.Versioned || c.Token.Form == names.Bare)
	}},
	{ID: "filled-group", Role: "apiVersion", Say: Review, Why: "the first part of its group is filled in at run time", Hint: "write the new group if it is this one, or keep it with a comment cfctl:keep REASON", When: func(c *Case) bool { return c.Token.Form == names.Part && !isURL(c) }}, // awx-operator, eda-server-operator
	{ID: "yaml-tag", Role: "literal", Say: Review, Why: "it is the tag of a value of YAML", Hint: "rename the tag together with what reads it", When: func(c *Case) bool {
		if c.Leaf.Kind != syntax.Prose {
			return false
		}
		line, at := c.lineAt()
		return bytes.ContainsAny(line[:at], "!%") && tag.Match(line[:at])
	}},
	{ID: "e-mail", Role: "domain", Say: Keep, Why: "it is an e-mail address", When: form(names.Email)},
	{ID: "when-words", Role: "prose", Say: Keep, Why: "its line, or the heading of its table or section, says what was at one time", When: func(c *Case) bool {
		prose := (c.Leaf.Kind == syntax.Prose || c.Leaf.Kind == syntax.Code || c.Leaf.Quoted && !c.Whole && bytes.IndexByte(c.Leaf.Text(), ' ') > 0) && !c.Leaf.InTemplate() || c.Leaf.Kind == syntax.Comment || c.Label == "description" || c.Label == "deprecationwarning"
		return c.steps() && (prose && (saysWhen(c.line()) || c.ofRelease() || c.Token.Form == names.Versioned && noLonger.Match(c.rest())) || pastSection.Match(c.section())) || pastHeading.Match(c.heading()) ||
			c.Token.Form == names.Bare && c.Leaf.Kind == syntax.Prose && !c.Leaf.InTemplate() && saysGone(c.sentence())
	}},
	{ID: "policy", Role: "apiVersion", Say: Review, Why: "a policy is about this version", Hint: "decide which versions it is for", When: func(c *Case) bool {
		return strings.HasSuffix(c.File.Path, ".rego") && c.steps() && c.Leaf.Kind != syntax.Comment
	}},
	{ID: "cluster-option", Role: "apiVersion", Say: Keep, Why: "it tells a cluster which versions to serve", When: func(c *Case) bool { // tidb-operator, kyverno, external-snapshotter
		labels := c.labels() // of helm-unittest: jenkins, the charts of Prometheus and Traefik
		return c.steps() && (slices.Contains(labels, "runtimeconfig") || len(labels) > 1 && slices.Equal(labels[len(labels)-2:], []string{"capabilities", "apiversions"}) || bytes.Contains(c.line(), []byte("runtime-config")))
	}},
	{ID: "managed-fields", Role: "apiVersion", Say: Keep, Why: "the server recorded the version of a request or field", When: func(c *Case) bool {
		audited := c.Leaf.Up // an event of an audit log: openshift/cluster-logging-operator, liggitt/audit2rbac
		for c.File.Audit && audited != nil && audited.Child("auditid") == nil {
			audited = audited.Up
		}
		return c.steps() && slices.Contains(c.labels(), "managedfields") || c.File.Audit && audited != nil
	}},
	{ID: "moved-key", Role: "key", Say: Rewrite, When: movedKey},
	{ID: "pattern", Role: "literal", Say: Review, Why: "it is a regular expression of the group", Hint: "change it by hand, or keep it with a comment cfctl:keep REASON", When: func(c *Case) bool {
		return c.Token.Form == names.Pattern || refs.IsGroup(c.Label) && c.Leaf.Kind == syntax.Entry && bytes.IndexByte(c.Leaf.Text(), '|') > 0 && !c.inCode() && !bytes.ContainsAny(c.Leaf.Text(), " {")
	}},
	{ID: "webhook-path", Role: "webhook-name", Say: Rewrite, When: form(names.Hook)},
	{ID: "pinned-link", Role: "domain", Say: Keep, Why: "it leads to a file of one version", When: func(c *Case) bool {
		return c.Token.Form == names.File && isURL(c) && pinned.Match(c.line()) || len(c.File.Targets(c.Token.Group)) == 0 && c.onPage()
	}},
	{ID: "far-anchor", Role: "domain", Say: Keep, Why: "it leads to another site", When: func(c *Case) bool { return c.Token.Form == names.Anchor && isURL(c) }},
	{ID: "anchor", Role: "resource-name", Say: Rewrite, When: form(names.Anchor)},
	{ID: "rest-path", Role: "rest-path", Say: Rewrite, When: form(names.REST)},
	{ID: "crd-file", Role: "crd-file", Say: Rewrite, When: form(names.File)},
	{ID: "url", Role: "domain", Say: Keep, Why: "it is a part of a URL", When: isURL},
	{ID: "import", Role: "import-path", Say: Keep, Why: "it is an import path", When: isImport},
	{ID: "file-path", Role: "path", Say: Keep, Why: "it is the path of files or the name of a branch", When: isFilePath},
	{ID: "maybe-path", Role: "path", Say: Review, Why: "it may be in the path of a file or folder", Hint: "rewrite it if it is the API, or keep it with a comment cfctl:keep REASON", When: isAbsolute},
	{ID: "api-prefix", Role: "apiVersion", Say: Rewrite, When: func(c *Case) bool {
		return c.Token.Form == names.Path && c.Token.End == c.Token.At.End+1 && (c.Token.After == 0 || strings.IndexByte("\"'`*", c.Token.After) >= 0) && apiWord.Match(c.line())
	}},
	{ID: "label-value", Role: "literal", Say: Keep, Why: "it is the value of a label or annotation", When: isLabelValue},
	{ID: "label-key", Role: "key", Say: Keep, Why: "it is the key of a label or annotation, or a finalizer", When: inLabels},
	{ID: "host", Role: "domain", Say: Keep, Why: "it is the name of a host", When: isHost},
	{ID: "longer-group", Role: "domain", Say: Keep, Why: "it is another group, whose name is longer", When: func(c *Case) bool {
		return (c.Token.Form == names.Resource || c.Token.Form == names.Longer) && c.Whole && c.Token.Kind.Len() == 0 && (refs.IsGroup(c.Label) || refs.IsAPIVersion(c.Label))
	}},
	{ID: "crd-name", Role: "crd-name", Say: Rewrite, When: func(c *Case) bool { // in a patch, too
		return c.Token.Form == names.Resource && c.Whole && c.Label == "name" && (c.CRD || c.ofKind("CustomResourceDefinition"))
	}},
	{ID: "webhook-name", Role: "webhook-name", Say: Rewrite, When: func(c *Case) bool {
		ends := c.Token.At.End == len(c.Leaf.Text())
		return ((c.Token.Form == names.Resource || c.Token.Form == names.Longer && ends) && c.Whole || c.Token.Form == names.Filled && ends) && c.webhook()
	}},
	{ID: "crd-group", Role: "crd-group", Say: Rewrite, When: func(c *Case) bool { return c.CRD && c.Token.Form == names.Bare && c.Label == "group" }},
	{ID: "name-of-object", Role: "group-field", Say: Keep, Why: "it is the name of an object of another kind", When: namesObject},
	{ID: "agreed-name", Role: "group-field", Say: Keep, Why: "it is a name that a controller or driver answers to", When: func(c *Case) bool {
		return c.Token.Form != names.REST && !c.inFull() && (c.named(agreedNames) || strings.HasSuffix(c.Label, "operatorname")) // stackabletech/kafka-operator, stackabletech/zookeeper-operator: labels have it
	}},
	{ID: "listed-name", Role: "resource-name", Say: Rewrite, When: isListed},
	{ID: "printed-name", Role: "resource-name", Say: Rewrite, When: isPrinted},
	{ID: "named-resource", Role: "resource-name", Say: Rewrite, When: func(c *Case) bool {
		return c.Token.Form == names.Resource && c.Token.Named && c.command() && c.flag() == "" && c.Leaf.Kind != syntax.Key
	}},
	{ID: "filled-resource", Role: "resource-name", Say: Rewrite, When: func(c *Case) bool { return c.Token.Form == names.Filled && (c.CRD || c.command() && c.flag() == "") }},
	{ID: "folder", Role: "resource-name", Say: Keep, Why: "it follows a slash, as the name of a folder or an object does", When: isFolder},
	{ID: "crd-list", Role: "resource-name", Say: Rewrite, When: isListOfCRDs},
	{ID: "resource-name", Role: "resource-name", Say: Rewrite, When: isResource},
	{ID: "versioned-name", Role: "resource-name", Say: Rewrite, When: func(c *Case) bool {
		return c.Token.Form == names.Resource && c.Token.Version.Len() > 0 && !c.Token.Slashed
	}},
	{ID: "longer-domain", Role: "domain", Say: Keep, Why: "it is a part of a longer name", When: func(c *Case) bool { return c.Token.Form == names.Longer }},
	{ID: "path-host", Role: "domain", Say: Keep, Why: "it is the host of an image or a path", When: isPathHost},
	{ID: "object-or-key", Role: "key", Say: Review, Why: "it may be the name of an object or the key of a label", Hint: "rewrite it if it is the name of an object", When: func(c *Case) bool {
		after := c.Leaf.Text()[c.Token.At.End:]
		return c.Token.Named && c.Name != "" && (c.Leaf.Up != nil && c.Leaf.Up.Kind == syntax.Command && !bytes.ContainsAny(after, "=:") || namespaced.Match(after))
	}},
	{ID: "open-version", Role: "apiVersion", Say: Review, Why: "what follows the group does not look like a version", Hint: "write the new group if it is the API, or keep it with a comment cfctl:keep REASON", When: func(c *Case) bool {
		return c.Token.Form == names.Path && c.Leaf.Kind == syntax.Entry && refs.IsAPIVersion(c.Label)
	}},
	{ID: "label-like", Role: "key", Say: Keep, Why: "it is spelled like the key of a label or annotation", When: labelLike},
	{ID: "filled-name", Role: "key", Say: Review, Why: "a name is filled in before it at run time: it may be a resource or the key of a label", When: form(names.Filled)},
	{ID: "joined", Role: "literal", Say: Review, Why: "it is joined to other text, and nothing says that the whole is an API", Hint: "rewrite it if it is one, or keep it with a comment cfctl:keep REASON", When: func(c *Case) bool {
		return isJoined(c) || isFilledIn(c) || c.steps() && switched.Match(c.Leaf.Text()[c.Token.At.End:])
	}},
	{ID: "schema-rule", Role: "literal", Say: Review, Why: "an expression of a schema compares a value with it", Hint: "rewrite it if the value is an API group", When: func(c *Case) bool {
		return c.Token.Form == names.Bare && (c.Label == "rule" || c.Label == "pattern") && !c.Whole && slices.ContainsFunc(c.labels(), func(l string) bool { return strings.HasPrefix(l, "openapiv3schema") || l == "xkubernetesvalidations" }) && !comparesGroup.Match(c.line())
	}},
	{ID: "constant-key", Role: "key", Say: Keep, Why: "the constant is the prefix of keys, not an API group, by its name", When: keyConstant},
	{ID: "versioned-group", Role: "rbac-group", Say: Review, Why: "a list of groups has no versions", Hint: "write the group alone", When: func(c *Case) bool {
		return c.Token.Form == names.Versioned && c.Rule != nil && refs.IsGroup(c.Label)
	}},
	{ID: "api-version", Role: "apiVersion", Say: Rewrite, When: func(c *Case) bool {
		return (c.Token.Form == names.Versioned || c.Token.Form == names.WithKind) && (c.Whole || refs.IsAPIVersion(c.Label)) && !c.isText()
	}},
	{ID: "rbac-group", Role: "rbac-group", Say: Rewrite, When: func(c *Case) bool { return c.Rule != nil && c.Token.Form == names.Bare && c.Whole }},
	{ID: "marker", Role: "marker", Say: Rewrite, When: func(c *Case) bool {
		return c.inMarker() && c.Token.Form == names.Bare && refs.IsGroup(c.Label)
	}},
	{ID: "group-field", Role: "group-field", Say: Rewrite, When: func(c *Case) bool {
		return c.Token.Form == names.Bare && c.Whole && refs.IsGroup(c.Label) && !c.isText()
	}},
	{ID: "object-name", Role: "group-field", Say: Keep, Why: "it is the name of an object or host", When: func(c *Case) bool {
		return c.Token.Form == names.Bare && c.Whole && (slices.Contains(objectNames, c.Label) || strings.HasSuffix(c.Label, "webhookname"))
	}},
	{ID: "string", Role: "literal", Say: Rewrite, When: func(c *Case) bool {
		return c.Leaf.Quoted && c.Whole && c.inCode() && (c.Token.Form == names.Bare || c.Token.Form == names.Versioned)
	}},
	{ID: "value-list", Role: "group-field", Say: Rewrite, When: func(c *Case) bool {
		return c.Token.Form == names.Bare && c.Whole && !c.isText() && !strings.Contains(c.File.Format, "text")
	}},
	{ID: "label-line", Role: "prose", Say: Keep, Why: "its line is about a label, an annotation, a finalizer or a domain", When: func(c *Case) bool {
		return c.Token.Form == names.Bare && labelWords(c.line()) && !apiFollows.Match(c.Leaf.Text()[c.Token.End:]) && !groupRow.Match(c.line())
	}},
	{ID: "text-version", Role: "apiVersion", Say: Rewrite, When: func(c *Case) bool {
		return c.Token.Form == names.Versioned || c.Token.Form == names.WithKind
	}},
	{ID: "group-text", Role: "prose", Say: Rewrite, When: func(c *Case) bool { return c.Token.Form == names.Bare && aboutGroup.Match(c.line()) }},
	{ID: "text", Role: "prose", Say: Rewrite, When: func(c *Case) bool { return c.Token.Form == names.Bare }},
}

// tag is the begin of a tag of YAML, or of the directive that declares one.
var tag = lazyregexp.New(`^%TAG\s.*$|(^|[\s,\[{])!\S*$`)

// inMarker says whether the leaf is in an argument of a marker.
func (p *place) inMarker() bool {
	return p.Leaf.Up.Kind == syntax.Comment || p.Leaf.Up.Up != nil && p.Leaf.Up.Up.Kind == syntax.Comment
}

func form(f names.Form) func(*Case) bool {
	return func(c *Case) bool { return c.Token.Form == f }
}

// ofKind says whether the leaf is in the metadata of an object of a kind, or in a
// reference to one.
func (c *Case) ofKind(kind string) bool {
	up := c.Leaf.Up
	if up == nil {
		return false
	}
	if up.Up != nil && syntax.Normal(up.Name) == "metadata" {
		up = up.Up
	}
	k := up.Child("kind") // of the object, or next to the name in the target of a patch
	return k != nil && k.String() == kind
}

// webhook says whether the leaf is the name of a webhook.
func (c *Case) webhook() bool {
	if strings.HasSuffix(c.Label, "webhookname") {
		return true
	}
	if c.Label == "name" && c.inMarker() {
		return c.Leaf.Up.Type == "kubebuilder:webhook" || c.Leaf.Up.Up.Type == "kubebuilder:webhook"
	}
	return c.Label == "name" && (slices.Contains(c.labels(), "webhooks") || c.Leaf.Up.Child("clientconfig") != nil) || c.Label == "generatename" && slices.Contains(c.labels(), "webhookdefinitions")
}

// bothNames says whether the line of the group names a group that it becomes.
func (c *Case) bothNames() bool {
	targets := c.File.Targets(c.Token.Group)
	if len(targets) == 0 {
		return false
	}
	line := c.line()
	return slices.ContainsFunc(targets, func(g string) bool {
		i := bytes.Index(line, []byte(g))
		return i >= 0 && (i == 0 || !text.IsIdent(line[i-1]) && line[i-1] != '.' && line[i-1] != '-') && ends(line[i+len(g):])
	})
}

// inChoice says whether the group is in one branch of an action that asks which
// versions the cluster serves, or is what it asks for.
func (c *Case) inChoice() bool {
	at := c.Leaf.View.Offset(c.Leaf.Start + c.Token.At.Start)
	i, _ := slices.BinarySearchFunc(c.File.Choices, at, func(s source.Span, at int) int { return cmp.Or(s.End-at, -1) })
	return i < len(c.File.Choices) && c.File.Choices[i].Start <= at && !c.inEachBranch(c.File.Choices[i])
}

// inEachBranch says whether each branch of a choice names the group, which becomes another
// one: the choice is the same then.
func (c *Case) inEachBranch(s source.Span) bool {
	b := c.Leaf.Root().View.B
	if len(c.File.Targets(c.Token.Group)) == 0 || s.End > len(b) {
		return false
	}
	b = s.Of(b)
	other := elseAction.Get().FindIndex(b)
	return other != nil && bytes.Contains(b[:other[0]], []byte(c.Token.Group)) && bytes.Contains(b[other[1]:], []byte(c.Token.Group))
}

// besideNew says whether an item of the same list is the new name of the group,
// or becomes it too.
func (c *Case) besideNew() bool {
	targets := c.File.Targets(c.Token.Group)
	return c.Token.Form == names.Bare && c.Leaf.Up != nil && slices.ContainsFunc(c.Leaf.Near(c.Leaf.Up), func(n *syntax.Node) bool {
		t := n.String()
		return slices.Contains(targets, t) || t != c.Token.Group && len(targets) > 0 && slices.ContainsFunc(c.File.Targets(t), func(g string) bool { return slices.Contains(targets, g) })
	})
}

// isJoined says whether a group is a part of a text that is put together: added
// to another string, or an argument of a call that formats or joins.
func isJoined(c *Case) bool {
	if c.Token.Form == names.Bare && !c.Whole && strings.IndexByte("\"'`", c.Token.After) >= 0 && c.Token.After != 0 {
		m := joinedPath.FindSubmatch(c.Leaf.Text()[c.Token.At.End:])
		return m != nil && !names.IsVersion(string(m[1]))
	}
	if c.Token.Form != names.Bare || !c.Whole || !c.Leaf.Quoted || !c.inCode() || c.Leaf.Up == nil {
		return false
	}
	kids := c.Leaf.Up.Kids
	i := c.Leaf.At()
	if c.Leaf.Open && i >= 0 && i+1 < len(kids) && kids[i+1].Open {
		next := strings.TrimPrefix(kids[i+1].String(), "/")
		return !names.IsVersion(next) && !(next == "" && i+2 < len(kids) && names.IsVersion(kids[i+2].String()))
	}
	call := c.Leaf.Up
	if call.Type == "" || call.Type == "(" || strings.Contains(call.Type, "[]") || c.Leaf.Item && call.Up != nil && isFormat(call.Up.Type) {
		call = call.Up
	}
	if call == nil || !isFormat(call.Type) {
		return false
	}
	if first := call.Kids[0]; first != c.Leaf && first.Quoted {
		f := first.String()
		return len(f) <= 12 && !strings.Contains(f, "%s/%s") && strings.ContainsAny(f, "/.")
	}
	return !slices.ContainsFunc(some(c.Leaf.Up), func(n *syntax.Node) bool { return names.IsVersion(n.String()) })
}

// isFormat says whether a call formats or joins texts, by its name.
func isFormat(name string) bool {
	name = syntax.Normal(name[strings.LastIndexByte(name, '.')+1:])
	return name == "join" || name == "sprintf" || name == "format"
}

// ends says whether a name ends before a text.
func ends(rest []byte) bool {
	return len(rest) == 0 || !text.IsIdent(rest[0]) && rest[0] != '-' && (rest[0] != '.' || len(rest) == 1 || !text.IsIdent(rest[1]))
}

// isText says whether the group is in running text.
func (p *place) isText() bool {
	return p.Leaf.Kind == syntax.Prose || p.Leaf.Kind == syntax.Comment && !p.Leaf.Quoted
}

// inCode says whether the leaf is a string of a programming language.
func (p *place) inCode() bool {
	switch p.Leaf.Document().Lang {
	case "go", "python", "typescript", "java", "kotlin", "groovy", "rust", "config", "lua", "shell":
		return true
	}
	return p.Leaf.Kind == syntax.Code
}

// line is the line of the group.
func (p *place) line() []byte {
	line, _ := p.lineAt()
	return line
}

// steps says whether the rules change versions of the group.
func (c *Case) steps() bool {
	return len(c.File.Targets(c.Token.Group)) == 0 || c.File.Steps(c.Token.Group)
}

// lineAt is the line of the group, which an escape may end as well, and where on it the group is.
func (p *place) lineAt() ([]byte, int) {
	b := p.Leaf.View.B
	at := p.Leaf.Start + p.Token.At.Start
	from, to := max(0, at-400), min(len(b), at+400)
	for _, end := range []string{"\n", `\n`} {
		if i := bytes.LastIndex(b[from:at], []byte(end)); i >= 0 {
			from += i + len(end)
		}
		if i := bytes.Index(b[at:to], []byte(end)); i >= 0 {
			to = at + i
		}
	}
	return b[from:to], at - from
}

// maxTable is how far before a group the heading of its table is looked for.
const maxTable = 10_000

// heading is the first row of the table of Markdown that the group is in, nil for none.
func (p *place) heading() []byte {
	if p.File.Format != "markdown" || p.Leaf.Kind != syntax.Prose && p.Leaf.Kind != syntax.Code {
		return nil
	}
	var row []byte
	at := p.Leaf.Start + p.Token.At.Start
	lines := bytes.Split(p.Leaf.View.B[max(0, at-maxTable):at], []byte("\n"))
	for i := len(lines) - 1; i >= 0 && bytes.HasPrefix(bytes.TrimLeft(lines[i], " "), []byte("|")); i-- {
		row = lines[i]
	}
	return row
}

func (p *place) labels() []string {
	if p.path == nil {
		n := p.Leaf
		if n.Kind == syntax.Key && n.Up.Key == n {
			n = n.Up.Up
		}
		p.path = n.Path()
		if n.Kind == syntax.Command {
			p.path = nil
		}
	}
	return p.path
}

func movedKey(c *Case) bool { return c.Token.Form == names.MovedKey }

// isImport says whether the leaf is the path of a Go package or module.
func isImport(c *Case) bool {
	if base := c.File.Path[strings.LastIndexByte(c.File.Path, '/')+1:]; base == "go.mod" || base == "go.sum" || base == "go.work" {
		return true
	}
	if last, _ := c.folders(); last == "src" { // of GOPATH: kubevirt.io, knative.dev
		return true
	}
	if c.Leaf.Document().Lang != "go" || !c.Leaf.Quoted || c.Leaf.Name != "" {
		return false
	}
	up := c.Leaf.Up
	t := c.Leaf.Text()
	return (up.Kind == syntax.Document || up.Type == "import") && bytes.IndexByte(t, '/') > 0 && bytes.IndexByte(t, ' ') < 0
}

// keyPlaces are labels below which keys of labels and annotations, finalizers
// and taints are.
var keyPlaces = []string{"labels", "annotations", "matchlabels", "matchexpressions", "nodeselector", "finalizers", "commonlabels", "commonannotations", "podlabels", "podannotations",
	"labelselector", "selector", "topologykey", "tolerations", "taints", "matchfields", "additionallabels", "extralabels", "nodeaffinity", "podannotation", "label", "annotation", "finalizer"}

// amounts are labels of mappings whose keys are names of what a node has.
var amounts = []string{"limits", "requests", "capacity", "allocatable", "hard", "used"}

// timeWords are words of a line about versions of which each had its time, or one version
// that became another.
var timeWords = lazyregexp.New("(?i)\\b((deprecat(ed?|es|ing|ion)|before|older|until|prior to|no longer|removed|formerly|legacy)\\b|the old [\"'`]?[a-z0-9.-]+/v\\d|v\\d[a-z0-9]*[\"'`]? *(->|=>|→) *[\"'`]?([a-z0-9.-]+/)?v\\d)")

// pastSection is the heading of the notes about an upgrade to one version.
var pastSection = lazyregexp.New(`(?i)^#+ +(upgrad\w+ |migrat\w+ )?(from \S+ )?to v?[0-9]+\.[0-9x]`)

// section is the heading of the section of Markdown that the group is in, nil for none.
func (p *place) section() []byte {
	if p.File.Format != "markdown" {
		return nil
	}
	inline := p.Leaf.Start > 0 && p.Leaf.View.B[p.Leaf.Start-1] == '`' && bytes.IndexByte(p.Leaf.Text(), '\n') < 0
	if p.Leaf.Kind != syntax.Prose && !inline {
		return nil
	}
	at := p.Leaf.Start + p.Token.At.Start
	text := p.Leaf.View.B[max(0, at-maxTable):at]
	i := bytes.LastIndex(text, []byte("\n#")) + 1
	heading, _, _ := bytes.Cut(text[i:], []byte("\n"))
	return heading
}

// pastHeading has a word of a table of what is no longer there. One with a column about what is
// deprecated lists what is.
var pastHeading = lazyregexp.New(`(?i)\b(removed|removal|before|until|formerly)\b`)

// agreedNames are labels of names that are a contract with what answers to them.
var agreedNames = []string{"controller", "controllername", "provisioner", "driver", "type", "signername", "resourcelock", "leaderelectionid", "fieldmanager", "ingressclass", "conditiontype", "condition",
	"geteventrecorderfor", "fieldowner", "pluginname", "drivername", "categories"}

// hostNames are labels of names of hosts, and of what is named like one.
var hostNames = []string{"host", "hosts", "hostsni", "hostname", "hostnames", "dnsnames", "commonname", "/cn", "/o", "/ou", "servername", "externalname", "domain", "domains", "fqdn", "registry", "image",
	"noproxy", "servernames", "subjectalternativenames", "subjectaltnames", "searches", "matchname", "snihosts", "lookuphost", "lookupip", "lookupaddr", "lookupcname", "lookupmx", "lookupns", "lookuptxt", "gethostbyname",
	"dnsname", "dnszone", "zone", "cn", "certcn", "sni", "organization", "organizations", "author", "authors", "maintainer", "maintainers", "publisher", "bucket", "bucketname", "s3bucket"}

var (
	pastName      = lazyregexp.New(`^((?i:legacy|old|former|previous|deprecated)([A-Z_-]|$)|(LEGACY|OLD|FORMER|PREVIOUS|DEPRECATED)(_|$))`)
	pinned        = lazyregexp.New(`/(?:(?:[\w.-]*[-_v])?[0-9]+\.[0-9]+[^/ ]*|[0-9a-f]{7,40})/`) // apache/flink-kubernetes-operator, prometheus-community/helm-charts: release-1.2
	joinedPath    = lazyregexp.New(`^["'\x60][ +.})]*["'\x60]?/([a-zA-Z0-9]+)`)
	switched      = lazyregexp.New(`^/v[0-9a-z]+(/[a-z]+)?=(true|false)`) // by --runtime-config of an API server
	apiFollows    = lazyregexp.New(`(?i)^["'\x60*]*(, ?["']v\d|[ -]+(api|apis|crds?|custom resources?|resources?|objects?|kinds?)\b)`)
	aboutGroup    = lazyregexp.New(`(?i)\bgroups?\b`)
	comparesGroup = lazyregexp.New(`(?i)(group|version)\W{1,6}[=!]=`)
	apiWord       = lazyregexp.New(`(?i)api_?version|groupversion|\bgv\b`)
)

// namesObject says whether a group or a resource's full name is that of an object which is
// no CRD: in the metadata of one, in a reference to a role, in a rule of
// permissions on other resources.
func namesObject(c *Case) bool {
	if c.Token.Form != names.Resource && c.Token.Form != names.Bare || !c.Whole || c.CRD {
		return false
	}
	switch c.Label {
	case "resourcenames":
		return !IsGranted(c.Leaf)
	case "name":
		up := c.Leaf.Up
		if up == nil {
			return false
		}
		if l := syntax.Normal(up.Name); l == "roleref" || up.Item && up.Up != nil && syntax.Normal(up.Up.Name) == "subjects" {
			return true
		}
		if syntax.Normal(up.Name) != "metadata" || up.Up == nil {
			return false
		}
		kind := up.Up.Child("kind")
		return kind != nil && !strings.HasSuffix(kind.String(), "Definition") && kind.String() != "APIService" && !strings.Contains(kind.String(), "Webhook") && !strings.Contains(kind.String(), "{")
	}
	return false
}

// IsGranted says whether a name is that of a CRD or APIService in a rule of permissions about
// them alone.
func IsGranted(n *syntax.Node) bool {
	var resources *syntax.Node
	for ; n != nil && resources == nil; n = n.Up {
		resources = n.Child("resources")
	}
	return resources != nil && len(resources.Kids) > 0 && !slices.ContainsFunc(some(resources), func(x *syntax.Node) bool {
		name, _, _ := strings.Cut(x.String(), "/")
		return name != "customresourcedefinitions" && name != "apiservices"
	})
}
