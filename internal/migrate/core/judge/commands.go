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

// command says whether the group is in a word of a command that names resources, or in the
// filter of a handler of kopf.
func (p *place) command() bool {
	up := p.Leaf.Up
	if up == nil || p.Leaf.Kind == syntax.Key {
		return false
	}
	return up.Kind == syntax.Command && (slices.ContainsFunc(some(up), isCommand) || p.looped()) || strings.HasPrefix(p.Leaf.Type+up.Type, "@kopf.") || p.Leaf.Item && (p.Leaf.Quoted || isArguments(up)) && slices.ContainsFunc(some(up), isVerb)
}

// verbs are commands of kubectl that take resources.
var verbs = []string{"kubectl", "oc", "get", "delete", "describe", "wait", "patch", "annotate", "label", "edit", "explain", "scale"}

// looped says whether a word is one of a loop of a shell, and kubectl takes the variable of the loop:
// for w in "widget.example.com/one"; do kubectl delete $w; done.
func (p *place) looped() bool { // openshift/cluster-logging-operator, cfgd-io/cfgd
	words := p.Leaf.Up.Kids
	if len(words) < 4 || words[0].String() != "for" || words[2].String() != "in" || words[2].View != p.Leaf.Up.View {
		return false
	}
	body := p.Leaf.Up.View.B[words[2].End:]
	body, _, _ = bytes.Cut(body[:min(len(body), maxLoop)], []byte("done"))
	for line := range bytes.Lines(body) {
		for _, use := range []string{"$" + words[1].String(), "${" + words[1].String() + "}"} {
			before, after, ok := bytes.Cut(line, []byte(use))
			if ok && (len(after) == 0 || !text.IsIdent(after[0]) || use[1] == '{') && takesNames.Match(before) {
				return true
			}
		}
	}
	return false
}

// maxLoop is how much of the body of a loop is read.
const maxLoop = 2000

// some are the kids of a node that are looked at: a line of more words is no command.
func some(up *syntax.Node) []*syntax.Node { return up.Kids[:min(len(up.Kids), maxWords)] }

// maxWords is how many words of a command and items of a list are looked at.
const maxWords = 64

// before is the word before a word of a command, and before flags and those of the same group in
// front of it: get in kubectl get -n x a.example.com b.example.com. Keys may follow the flags of a
// command that sets them.
func (p *place) before() string {
	flags := false
	for i := p.Leaf.At(); i > max(0, p.Leaf.At()-maxWords); i-- {
		n := p.Leaf.Up.Kids[i-1]
		switch word := n.String(); {
		case n.Name != "" || strings.HasPrefix(word, "-"):
			flags = true
		case p.Token.Group == "" || !strings.Contains(word, p.Token.Group) || strings.Contains(word, "="):
			if flags && (word == "annotate" || word == "label") {
				return ""
			}
			return word
		}
	}
	return ""
}

// isCommand says whether a word is a client of Kubernetes, or a command of one.
func isCommand(n *syntax.Node) bool {
	t := n.String()
	return slices.Contains(verbs, t[strings.LastIndexAny(t, "/(")+1:]) || strings.HasPrefix(strings.ToLower(t), "$(kubectl") || strings.HasPrefix(strings.ToLower(t), "${kubectl")
}

// isVerb says whether a string is a command of kubectl, or begins with one.
func isVerb(n *syntax.Node) bool {
	if !n.Quoted && !isArguments(n.Up) || n.Kind != syntax.Entry {
		return false
	}
	first, _, _ := strings.Cut(n.String(), " ")
	return slices.Contains(verbs, first) || first == "-n" || first == "--namespace"
}

// isArguments says whether a list is that of a container's command.
func isArguments(n *syntax.Node) bool {
	l := syntax.Normal(n.Name)
	return l == "args" || l == "command"
}

// takesNames is what is before the resources that kubectl takes, in a line of text or as the value of a flag.
var takesNames = lazyregexp.New(`(?:^|[^\w.-])(?:kubectl|oc) [^|;&\n]*(?:\b(?:get|delete|describe|wait|edit|patch|scale) (?:--?[\w=./:"'$-]+ )*|--resource[= ])(?:[\w.-]+,)*[\w.-]*$`)

func (c *Case) operand() bool {
	if !c.command() || c.flag() != "" {
		line, at := c.lineAt()
		return (bytes.Contains(line[:at], []byte("kubectl ")) || bytes.Contains(line[:at], []byte("oc "))) && takesNames.Match(line[:at])
	}
	before := c.before()
	return slices.Contains(verbs[2:9], before) || before == "crd" || before == "crds" || strings.HasPrefix(c.Leaf.String(), "crd/")
}

// commands are those of kubectl and oc. Others are plugins, which have words of their own.
var commands = append([]string{"adm", "api-resources", "apply", "attach", "auth", "autoscale", "certificate", "config", "cordon", "cp", "create", "debug", "diff", "drain", "events", "exec",
	"expose", "extract", "kustomize", "logs", "policy", "port-forward", "process", "proxy", "replace", "rollout", "rsh", "run", "set", "taint", "top", "uncordon", "whoami"}, verbs[2:]...)

// ofPlugin says whether a command is one of a plugin of kubectl: kubectl PLUGIN get NAME,
// kubectl-PLUGIN get NAME.
func ofPlugin(words []*syntax.Node) bool {
	client := false
	for _, n := range words {
		t := n.String()
		switch {
		case strings.HasPrefix(t, "kubectl-"):
			return true
		case t == "kubectl" || t == "oc":
			client = true
		case client && n.Name == "" && t != "" && t[0] != '-' && strings.Trim(t, "abcdefghijklmnopqrstuvwxyz-") == "":
			return !slices.Contains(commands, t)
		}
	}
	return false
}

// Takes says whether a word of a command is one of the resources that it takes; sure is false where
// it may as well be the path of a file.
func Takes(f *File, n *syntax.Node) (takes, sure bool) {
	c := newCase(f, &refs.Ref{Leaf: n})
	if n.Up != nil && ofPlugin(some(n.Up)) || !c.command() || c.flag() != "" {
		return false, false
	}
	sure = c.operand()
	return sure || bytes.IndexByte(n.Text(), '/') > 0, sure
}

// flag is the flag that a word of a command belongs to, "" for an argument.
func (p *place) flag() string { return syntax.Normal(p.Leaf.Name) }

// printedWords are what kubectl prints behind the name of an object, printedName
// is that name, namespaced is how a message goes on behind one.
var (
	printedWords = lazyregexp.New(`^(/| "|s? ")[a-z0-9.$<>{}%_-]+"? (created|configured|unchanged|deleted|patched|serverside-applied|condition met|labeled|annotated|scaled|edited|replaced|not found|already exists)\b`)
	printedName  = lazyregexp.New(`^/[a-z0-9.-]+\s*$`)
	namespaced   = lazyregexp.New(`^/[a-z0-9.-]+ in namespace\b`)
)

// maxPrinted is how much of a line behind a name is read: a name has at most 253 bytes.
const maxPrinted = 400

// isPrinted says whether a line is one that kubectl prints about an object.
func isPrinted(c *Case) bool {
	if c.Token.Form != names.Resource || c.Leaf.Kind == syntax.Key {
		return false
	}
	b := c.Leaf.View.B
	at := c.Leaf.Start + c.Token.At.End
	end := at
	for end < len(b) && end < at+maxPrinted && b[end] != '\n' {
		end++
	}
	return printedWords.Match(b[at:end])
}

// isListed says whether a line begins with an object, as in the lists and tables
// that kubectl prints.
func isListed(c *Case) bool {
	if c.Token.Form != names.Resource || c.Leaf.Kind != syntax.Prose {
		return false
	}
	line := c.line()
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), c.Leaf.Text()[c.Token.Prefix.Start:c.Token.At.End])
	return ok && (bytes.Contains(rest, []byte("   ")) || printedName.Match(rest))
}
