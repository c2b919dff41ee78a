package migrate

import (
	"bytes"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Go code starts kubectl with its words as the arguments of a call or the elements of a
// list, often by a function of its own: Execute("get", "widgets"). Such a file names no
// group and imports no package of the API.
// Source: https://kubernetes.io/docs/reference/kubectl/, syntax.

// goQuestion asks the Go files that have a name of the rules at the begin of a word.
func (b *bareNames) goQuestion() goQuestion { return goQuestion{b.goNeedles, b.readGo} }

// readGo notes the resources for kubectl in a Go file.
func (b *bareNames) readGo(name string, data []byte) {
	if !anyVerb.Match(data) {
		return
	}
	set := gotoken.NewFileSet()
	file, err := parser.ParseFile(set, name, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return
	}
	var sites []bareSite
	ast.Inspect(file, func(n ast.Node) bool {
		var c goCommand
		switch n := n.(type) {
		case *ast.CallExpr:
			c = goCommand{words: n.Args, kubectl: kubectlName.MatchString(lastName(n.Fun)), other: startsOther(n)}
		case *ast.CompositeLit:
			c.words = n.Elts
		}
		for verb, w := range c.resources {
			if text, at := textIn(set, data, w); text != "" {
				sites = append(sites, b.resources(at, text, verb)...)
			}
		}
		return true
	})
	if len(sites) > 0 {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.found = append(b.found, bareFile{name, bytes.Clone(data), sites})
	}
}

// textIn is the text that a word begins with and its place: a string, the first one that
// it is put together of, or a format. It is empty where the text is not spelled as it is.
func textIn(set *gotoken.FileSet, data []byte, w ast.Expr) (string, source.Span) {
	switch e := w.(type) {
	case *ast.BinaryExpr:
		return textIn(set, data, e.X)
	case *ast.CallExpr:
		if lastName(e.Fun) == "Sprintf" && len(e.Args) > 0 {
			return textIn(set, data, e.Args[0])
		}
	}
	text, ok := stringOf(w)
	if !ok {
		return "", source.Span{}
	}
	at := source.Span{Start: set.Position(w.Pos()).Offset + 1, End: set.Position(w.End()).Offset - 1}
	if string(at.Of(data)) != text {
		return "", source.Span{}
	}
	return text, at
}

// A goCommand is a list of words that may be those of kubectl.
type goCommand struct {
	words   []ast.Expr
	kubectl bool // the name of the function says so
	other   bool // another program is started
}

// resources yields the words that are resources, each with the verb before it: the first
// one that is no option, and those with a name, RESOURCE/NAME.
func (c goCommand) resources(yield func(verb string, word ast.Expr) bool) {
	verb, first := "", true
	for i, w := range c.words {
		text, ok := stringOf(w)
		switch {
		case strings.HasPrefix(text, "-"), c.isValue(i):
		case verb != "":
			if plain := text; first || ok && strings.Contains(plain, "/") {
				if !yield(verb, w) {
					return
				}
			}
			first = false
		case !ok || text == "":
		case slices.Contains(kubectlVerbs, text) || slices.Contains(verbs, text):
			if c.other && !c.kubectl {
				return
			}
			verb = text
		default:
			c.other = c.other || !kubectlName.MatchString(text)
		}
	}
}

// isValue says whether a word is the value of the option before it.
func (c goCommand) isValue(i int) bool {
	if i == 0 {
		return false
	}
	option, _ := stringOf(c.words[i-1])
	return strings.HasPrefix(option, "-") && !strings.Contains(option, "=") && !slices.Contains(switches, option)
}

// startsOther says whether a call starts a program, and not kubectl by its name.
// Source: os/exec.
func startsOther(n *ast.CallExpr) bool {
	at := slices.Index([]string{"Command", "CommandContext"}, lastName(n.Fun)) // of the program
	if at < 0 || at >= len(n.Args) {
		return false
	}
	name, ok := stringOf(n.Args[at])
	if !ok {
		name = lastName(n.Args[at])
	}
	return !kubectlName.MatchString(name)
}

// kubectlName is a name of kubectl's, of a variable for one, or of a function that starts it.
var kubectlName = lazyregexp.New(`(?i)kubectl|^(oc|k|kube)$`)

// kubectlVerbs are those of kubectl that take the name of any resource.
var kubectlVerbs = []string{"get", "describe", "delete", "edit", "patch", "wait", "label", "annotate", "explain", "scale"}

// anyVerb is a word of Go code that is a verb of kubectl or of an API.
var anyVerb = lazyregexp.New("[\"`](get|list|watch|describe|delete|deletecollection|edit|patch|wait|label|annotate|explain|scale|create|update)[\"`]")

// switches are options of kubectl that take no value, so that a resource may stand behind one.
var switches = []string{"-A", "--all-namespaces", "--all", "--ignore-not-found", "--no-headers", "--show-labels", "--watch", "-w", "--now", "--force", "--overwrite"}

// resources are the names of the rules in a word for kubectl: RESOURCE, RESOURCE/NAME or a
// list of such. A verb that is the API's alone takes the plural.
func (b *bareNames) resources(at source.Span, word, verb string) []bareSite {
	var sites []bareSite
	for item := range strings.SplitSeq(word, ",") {
		resource, _, _ := strings.Cut(item, "/")
		if name := b.kubectl[resource]; name != nil && (name == b.names[resource] && name.role == find.RoleResource || slices.Contains(kubectlVerbs, verb)) {
			sites = append(sites, bareSite{at: source.Span{Start: at.Start, End: at.Start + len(resource)}, name: name})
		}
		at.Start += len(item) + 1
	}
	return sites
}

// kubectlNames notes what kubectl takes for the kinds of the rules: the plural, the singular
// and the kind. Short names stay as they are.
func (b *bareNames) kubectlNames() {
	b.kubectl = map[string]*bareName{}
	add := func(is string, name *bareName) {
		if b.kubectl[is] == nil && is != name.to {
			b.kubectl[is] = name
			b.goNeedles = append(b.goNeedles, `"`+is, "`"+is, ","+is)
		}
	}
	for _, is := range b.needles {
		name := b.names[is]
		switch {
		case name.role == find.RoleResource:
			add(is, name)
		case is == name.kind:
			singular := *name
			singular.role, singular.to = find.RoleResource, strings.ToLower(name.to)
			add(strings.ToLower(is), &singular)
			add(is, name)
		}
	}
}
