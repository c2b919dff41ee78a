package judge

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

func inLabels(c *Case) bool {
	if c.Token.Form == names.Versioned && c.Whole && (refs.IsAPIVersion(c.Label) || refs.IsGroup(c.Label)) || c.inFull() || c.Token.Form == names.Resource && c.Token.Kind.Len() > 0 && c.Leaf.Kind != syntax.Key {
		return false // keys have no capital letter in their domain
	}
	if c.Token.Form == names.Resource && c.Leaf.Kind == syntax.Entry && c.Leaf.Text()[0] == '[' && c.Token.Before == '"' {
		return false // an annotation that is a list of names: operators.operatorframework.io/internal-objects
	}
	if refs.IsGroup(c.Label) && c.Leaf.Up != nil && c.Leaf.Up.Child("path") != nil && c.Leaf.Up.Child("kind") != nil {
		return false // where kustomize adds labels
	}
	if c.Leaf.Kind == syntax.Key && c.Token.Form == names.Path {
		return true
	}
	if c.Token.Form != names.REST && (ofKeys(c.Leaf.Type) || c.Leaf.Up != nil && (ofKeys(c.Leaf.Up.Type) || c.Leaf.Up.Up != nil && c.Leaf.Up.IsList() && ofKeys(c.Leaf.Up.Up.Type)) || ofKeys(c.Label) || ofKeys(c.assigned())) {
		return true
	}
	if c.labelCommand() || c.Leaf.Kind == syntax.Key && c.Token.Form == names.WithKind && slices.ContainsFunc(c.labels(), func(l string) bool { return slices.Contains(amounts, l) }) {
		return true
	}
	l := c.labels()
	for i := len(l) - 1; i >= 0 && i >= len(l)-3; i-- {
		if slices.Contains(keyPlaces, l[i]) && c.Token.Form != names.Resource {
			return true
		}
		if slices.Contains(keyPlaces, l[i]) {
			return i < len(l)-1 || c.Leaf.Kind == syntax.Key || l[i] == "finalizers"
		}
	}
	return false
}

// inFull says whether the group stands with its version and a kind.
func (c *Case) inFull() bool { return c.Token.Version.Len() > 0 && c.Token.Kind.Len() > 0 }

// isLabelValue says whether a whole group is the value of a label or annotation.
func isLabelValue(c *Case) bool {
	if c.Leaf.Kind != syntax.Entry || c.Token.Form != names.Bare || !c.Whole || !inLabels(c) {
		return false
	}
	l := c.labels()
	return len(l) > 1 && slices.Contains(valuePlaces, l[len(l)-2])
}

// valuePlaces are those of keyPlaces whose entries are a key and its value.
var valuePlaces = []string{"labels", "annotations", "matchlabels", "nodeselector", "commonlabels", "commonannotations", "podlabels", "podannotations", "selector", "additionallabels", "extralabels"}

// assigned is the name that a text without a node has: label of label=example.com.
func (c *Case) assigned() string {
	if c.Leaf.Kind != syntax.Prose || c.Token.Before != '=' {
		return ""
	}
	t := bytes.TrimRight(c.Leaf.Text()[:c.Token.At.Start-1], " ")
	i := len(t)
	for i > 0 && i > len(t)-40 && (text.IsIdent(t[i-1]) || t[i-1] == '-' || t[i-1] == '.') {
		i--
	}
	return string(t[i:])
}

// named says whether the label of the leaf, the call that it is the argument of, or the
// name that its text gives to the group is one of a list.
func (c *Case) named(list []string) bool {
	if slices.Contains(list, c.Label) {
		return true
	}
	called := ""
	if up := c.Leaf.Up; up != nil && up.Flow && len(up.Kids) == 1 {
		called = up.Type[strings.LastIndexByte(up.Type, '.')+1:]
	}
	if c.Token.Before == '=' || c.Token.Before == '`' && !c.isText() { // condition=example.com/Ready, Host(`example.com`)
		t := bytes.TrimRight(c.Leaf.Text()[:c.tokenStart()-1], "(")
		i := len(t)
		for i > 0 && text.IsIdent(t[i-1]) {
			i--
		}
		called = string(t[i:])
	}
	return called != "" && slices.Contains(list, syntax.Normal(called))
}

// tokenStart is where the token begins in the text of the leaf.
func (p *place) tokenStart() int {
	if p.Token.Prefix.Len() > 0 {
		return p.Token.Prefix.Start
	}
	return p.Token.At.Start
}

// labelCommand says whether a word of a command is the key of a label,
// annotation or taint, or selects by it.
func (c *Case) labelCommand() bool {
	leaf := c.Leaf
	if leaf.Kind == syntax.Key {
		leaf = leaf.Up
	}
	up := leaf.Up
	if up == nil || up.Kind != syntax.Command {
		return false
	}
	if f := c.flag(); f == "l" || f == "selector" {
		return true
	}
	if t := leaf.String(); leaf.Key == nil && !strings.HasSuffix(t, "-") && !strings.ContainsAny(t, "=:") {
		return false // what gets the label
	}
	k := slices.IndexFunc(some(up), isLabelWord)
	if k < 0 || up.Kids[k].String() == "LABEL" {
		return k == 0
	}
	return k > 0 && isCommand(up.Kids[0]) && leaf.At() != k+1
}

// isLabelWord says whether a word of a command says that keys of labels follow.
func isLabelWord(n *syntax.Node) bool {
	switch n.String() {
	case "label", "annotate", "taint", "LABEL":
		return true
	}
	return false
}

// ofKeys says whether something called or made is about labels, annotations,
// finalizers or taints, by its name.
func ofKeys(name string) bool {
	if name == "" {
		return false
	}
	name = syntax.Normal(name)
	return slices.ContainsFunc([]string{"label", "annotation", "finalizer", "taint", "toleration", "nodeselector"}, func(w string) bool { return strings.Contains(name, w) })
}

func isResource(c *Case) bool {
	kind := c.Token.Kind.Len() > 0
	if c.Token.Form != names.Resource || c.Name == "" && !kind {
		return false
	}
	t := c.Leaf.Text()
	switch {
	case kind || !c.inCode() && subresource.Match(t[c.Token.At.End:]) || bytes.HasSuffix(t[:c.tokenStart()], []byte("name: ")):
		return true
	case c.Token.Named && !(c.Token.Before == '/' && c.inCode()):
		return false
	}
	return !c.isText() || c.Whole || !labelWords(c.line())
}

// subresource follows a resource in lists of permissions: widgets.example.com/status.
var subresource = lazyregexp.New(`^/(finalizers|scale|status)([^\w./-]|$)`)

// isPathHost says whether a name begins a path of several names: keys have one slash.
func isPathHost(c *Case) bool {
	if !labelLike(c) || c.isText() || c.Token.After != '/' {
		return false
	}
	rest := c.Leaf.Text()[c.Token.End:]
	if i := bytes.IndexAny(rest, " \t\n\"'`,;)"); i >= 0 {
		rest = rest[:i]
	}
	return bytes.Count(rest, []byte("/")) > 1
}

func labelLike(c *Case) bool {
	return c.Token.Form == names.Path || c.Token.Form == names.Resource
}

// groupRow is a row of a table about a value that is a group, by its key, as helm-docs writes it.
var groupRow = lazyregexp.New(`^\s*\|\s*[^|\s]*(?i:group)\W?\s*\|`)

// labelWords says whether a line is about something that only looks like a group.
func labelWords(line []byte) bool {
	low := bytes.ToLower(line)
	return slices.ContainsFunc([]string{"label", "annotation", "finalizer", "taint", "e-mail", "email", "domain"}, func(w string) bool { return bytes.Contains(low, []byte(w)) })
}

func keyConstant(c *Case) bool {
	if c.Token.Form != names.Bare || c.isText() || refs.IsGroup(c.Label) || refs.IsAPIVersion(c.Label) {
		return false
	}
	return slices.ContainsFunc(keyWords, func(w string) bool { return strings.Contains(c.Label, w) })
}

// objectNames are labels of names that are free to choose.
var objectNames = []string{"name", "namespace", "host", "hostname", "hosts", "servicename", "secretname", "fullnameoverride", "nameoverride"}

// keyWords are words in the names of constants that are prefixes of keys, names
// of drivers or hosts.
var keyWords = []string{"label", "annotation", "finalizer", "taint", "domain", "prefix", "driver", "provisioner", "host", "email", "image", "registry", "url", "topic", "fieldmanager", "managedby", "issuer", "audience", "leaderelection", "controllername", "toleration", "nodeselector", "provider", "owner", "namespace"}
