package find

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// What rows of phrases ask about commands, what they print, and labels.

// resourceWord tells that a name is that of a resource.
var resourceWord = rx(`(?i)(resource|\bkubectl\b|\boc\b|\bcrds?\b|plural|can-i|\bgvr\b|\bgroup\b|runtime-config)`)

var (
	objectBehind = rx(`^/[A-Za-z0-9*{$%<]`)
	subresource  = rx(`^/(status|scale|finalizers|log|exec)\b`)
	// operatorRole is what OLM adds to a resource for the roles that it makes of it.
	operatorRole = rx(`^-v[1-9][a-z0-9]*-(admin|edit|view|crdview)\b`)
	roleBehind   = lazyregexp.New(`-v[1-9][a-z0-9]*-(admin|edit|view|crdview)$`)
	// searchFor is a command that searches up to what it searches for.
	searchFor = rx(`(^|[\s|;&($"'\x60])([efz]?grep|rg|g?awk|sed)\s[^|;&]*$`, "grep", "rg", "awk", "sed")
)

// isObject says whether an object of a resource stands behind its name: no
// subresource of it.
func isObject(rest []byte) bool { return objectBehind.Match(rest) && !subresource.Match(rest) }

// ofSigner says whether a name on a line about signers is one of theirs: it is
// spelled like an object of a resource.
func ofSigner(p *spot) bool {
	return isObject(p.rest) && (signerWord.Match(p.left) || signerWord.Match(p.right))
}

var signerWord = rx(`(?i)signer`, "signer")

// runs says whether a name may stand in a command.
func runs(p *spot) bool { return p.mode == InShell || p.mode == InCode }

// tellsExplained reads the resource that kubectl explains in a version: by its
// singular, or as it is listed.
func tellsExplained(p *spot, s *Site) {
	if m := explained.FindSubmatchIndex(p.left); m != nil && m[2] < p.told {
		s.Loose = append(s.Loose, string(p.left[m[2]:m[3]]))
	} else if m != nil {
		p.explains(s, source.Span{Start: p.begin() + m[2], End: p.begin() + m[3]})
	} else if m := explainedBehind.FindSubmatchIndex(p.right); m != nil {
		p.explains(s, source.Span{Start: p.tok.Word.End + m[2], End: p.tok.Word.End + m[3]})
	}
}

var (
	explained       = lazyregexp.New(`\bexplain\s+(?:-\S+\s+)*([a-z][a-z0-9-]*)`)
	explainedBehind = lazyregexp.New(`^["']?\s+(?:-\S+\s+)*([a-z][a-z0-9-]*)`)
)

func (p *spot) explains(s *Site, name source.Span) {
	role := RoleResource
	if kind, ok := p.Singular(p.tok.Known.Group, string(name.Of(p.v.Data))); ok {
		role, s.Facts.Kind = RoleKind, kind
	} else if !p.knows(p.tok.Known.Group, string(name.Of(p.v.Data))) {
		return
	}
	s.take([]Part{{Doc: p.v, Span: name, Role: role}})
}

// behindVariable says whether a name is that of a resource for kubectl whose
// labels are filled in: $1.mcad.ibm.com, ${res}.mcad.ibm.com, {a,b}.mcad.ibm.com,
// $res.$version.mcad.ibm.com.
func behindVariable(p *spot) bool {
	before := beforeVariable(p)
	before = before[:len(before)-len(crdType.Find(before))]
	return before != nil && wordEnd.Match(p.right) && kubectlBefore.Match(before) && !bytes.Contains(before, []byte(" -l"))
}

// crdType is the type of CRDs for kubectl before the name of one.
var crdType = lazyregexp.New(`(?i)\b(crds?|customresourcedefinitions?(\.apiextensions\.k8s\.io)?)/$`)

// beforeVariable is the text before such a resource; nil when it is something else.
func beforeVariable(p *spot) []byte {
	left := slices.Concat(p.left, p.v.Data[p.tok.Word.Start:p.tok.Group.Start])
	if m := variableName.FindIndex(left); m != nil {
		return left[:m[0]]
	}
	return nil
}

// variableName is a name up to its group whose labels are filled in, by variables of a
// shell or make, a list of words in braces, a template, or a text that is formatted, or are put
// before it: the first one, or its version as well.
var variableName = lazyregexp.New(`(` + filling + `|[\w.()\[\]]+\s*\+\s*["'\x60])\.((` + filling + `|v[1-9][a-z0-9]*)\.)?$`)

// filling is what a language fills in.
const filling = `\\?\$(\w+|\{[^{}\s]*\}|\([\w.]+\))|\{\{[^{}\n]*\}\}|\{[^{}\s]*\}|%[sv]`

// tellsAnyResource says that resources of any kind may have a name, and leaves what
// stands before the group to the shell.
func tellsAnyResource(p *spot, s *Site) {
	s.Loose = p.allKinds(s.Known.Group)
	if s.Ver.Len() == 0 {
		s.Word, s.Shape, s.Known = s.Group, Bare, rules.GVK{Group: s.Known.Group}
	}
}

// fromVariable says whether a name goes on from what is filled in or put before it, and is no
// host of a URL.
func fromVariable(p *spot) bool {
	before := beforeVariable(p)
	return before != nil && runs(p) && p.tok.Word.End == p.tok.Group.End && (wordEnd.Match(p.right) || bytes.HasPrefix(p.right, []byte(`\n`))) && (len(before) == 0 || bytes.IndexByte([]byte("/@."), before[len(before)-1]) < 0)
}

// ofOther says whether such a name is a host, or the value of something else that
// is no group.
func ofOther(p *spot) bool {
	if !fromVariable(p) {
		return false
	}
	before := beforeVariable(p)
	return hostCommand.Match(before) || namesOtherIn(before) || speaksOf(p.heldBy(), false) != nil
}

// heldBy is the name of what holds the string or the value on the line of the file that has a
// name in it, "" for none.
func (p *spot) heldBy() string {
	file, at := p.v.File().Data, p.v.Start(p.tok.Word.Start)
	left := file[max(text.LineStart(file, at), at-text.Nearby):at]
	if m := holder.FindSubmatch(left[:len(left)-len(headOfWord.Find(left))]); m != nil {
		return string(m[1])
	}
	return ""
}

var (
	// headOfWord is a word as far as it stands before a name, with what a template fills in.
	headOfWord = lazyregexp.New(`(?:\{\{[^{}\n]*\}\}|[^\s"'\x60])*$`)
	// holder is (1) what is given the value behind it: a key, a variable, a field.
	holder = lazyregexp.New(`([A-Za-z_][\w-]*)["'\x60]?\s*(?::?=|:)\s*(?:[\w.]+\(\s*|\{\{-?\s*\w+\s+)?[a-zA-Z$]{0,2}["'\x60]?$`)
)

// onlyGroup leaves what stands before the group to the shell.
func onlyGroup(_ *spot, s *Site) { s.Word, s.Shape = s.Group, Bare }

// printsNames says whether a command above prints the names of objects: one of this
// block, or the last line of the block before.
func (p *spot) printsNames() bool {
	at := p.v.Start(p.tok.Word.Start)
	above := p.v.File().Data[max(0, at-longestOutput):at]
	all := namesPrinted.FindAllIndex(above, -1)
	if all == nil {
		return false
	}
	_, output, _ := bytes.Cut(above[all[len(all)-1][1]:], []byte("\n"))
	ends := blockEnd.FindAllIndex(output, -1)
	return len(ends) == 0 || len(ends) < 3 && len(bytes.TrimSpace(output[:ends[0][0]])) == 0
}

// blockEnd is a line that ends a block of Markdown or AsciiDoc, or begins one.
var blockEnd = lazyregexp.New("(?m)^[ \t>]*(```|~~~|----)")

// longestOutput is how far above a name the command is looked for that prints it, in
// bytes.
const longestOutput = 2 * text.Nearby

// tellsPrinted takes the first label of a name for the singular of a kind: of one that
// is known, or of whatever resource that makes.
func tellsPrinted(p *spot, s *Site) {
	if p.asObject(s); s.Known.Kind == "" {
		s.Facts.Plural = rules.Plurals(p.tok.Prefix)[0]
	}
}

// tellsDone takes the first label of a name for the singular of a kind, as kubectl
// prints it before the name of an object, or for a resource as the API server does
// in its messages.
func tellsDone(p *spot, s *Site) {
	if tellsPrinted(p, s); s.Known.Kind == "" && !bytes.HasPrefix(p.rest, []byte("/")) {
		s.Facts.Plural = p.tok.Prefix
	}
}

var namesPrinted = lazyregexp.New(`\s(-o|--output)[ =]?name\b`)

var (
	kubectlBefore = rx(`\b(kubectl|oc|k|kubectl\.exe)\b.*\b(get|describe|delete|edit|patch|wait|label|annotate|explain|watch|scale|create|auth|api-resources|can-i|apply|replace)\s+([^\s|;&]+\s+)*?(-[\w-]+=)?(\S+,)*(\\?["'])?$`, "kubectl", "oc", "k ")
	// resourceNamed is what tells that a name is that of a resource on a line about
	// labels: a command, or the matcher of a query (PromQL) by resource.
	resourceNamed = rx(kubectlBefore.String()+`|\b(\w+_)?resource\s*(=|!=|=~|!~)\s*\\?["']$`, "kubectl", "oc", "k ", "resource")
	// webhookConfiguration is a type of kubectl up to the name of one.
	webhookConfiguration = rx(`(?i)(mutating|validating)webhookconfigurations?(\.admissionregistration\.k8s\.io)?(/|\s+)\\?["'\x60]?$`, "webhookconfiguration")
	// builtInType is a type of Kubernetes of which objects have names of their own, up to one of these.
	builtInType = rx(`\b(kubectl|oc|k)(\.exe)?\s[^|;&]*?\b(get|describe|delete|edit|patch|wait|label|annotate|create|scale|rollout\s+\w+)\s+(-[^\s=]+(=\S+|\s+[a-z0-9$"{(][^\s-]*)?\s+)*(`+ownNames+`)(/|\s+((-n|--namespace)[ =]\S+\s+)?([a-z0-9$"{(]\S*\s+)*)\\?["'\x60]?$`, "kubectl", "oc", "k ")
	objectDone  = rx(`^(/\S+| "[^"]*")(\s+\([^)]*\))?\s+(created|configured|unchanged|deleted|patched|labeled|annotated|edited|replaced|scaled|serverside-applied|condition met|pruned|force deleted|not found|already exists|is forbidden|is invalid)\b`)
	// labelVerb is a command that sets labels, up to what it sets them on.
	labelVerb  = lazyregexp.New(`\b(kubectl|oc|k)(\.exe)?\s([^|;&]*\s)?label\s`)
	labelWords = rx(`(?i)(label|annotation|finalizer|selector)`, "label", "annotation", "finalizer", "selector")
	// selectorBefore is a selector of labels up to one of its keys.
	selectorBefore = rx(`(\b(kubectl|oc|k|stern|kubecolor)(\.exe)?\b.*\s|^\s*)(-l|--selector|-L|--label-columns)[ =]?\s*("[^"]*|'[^']*|[^\s"']*)$|\s--(label-)?selector[ =]\s*("[^"]*|'[^']*|[^\s"']*)$`, "-l", "-L", "selector", "label-columns")
	labelCommand   = rx(`\b(kubectl|oc|k)(\.exe)?\b.*\s(label|annotate|taint)\s.*\s["']?$`, "label", "annotate", "taint")
	// labelSet is what a command that sets or takes away a label has behind its key.
	labelSet      = rx(`^(/[A-Za-z0-9_.-]*)?(["'\x60]?=|[:-]?-["'\x60]?(\s|$))|^/[A-Za-z0-9_.]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?-["'\x60]?(\s|$)|^:[A-Za-z]+-?(\s|$)`)
	keyNameBefore = text.Tail(100, `(?i)[a-z0-9_.-]*(((label|annotation|taint|topology)([-_.]?keys?)?|finalizer([-_.]?(names?|keys?))?s?|leader[-_.]?election[-_.]?(id|name|resource[-_.]?name))["'\x60]?\)?\s*(:=|[:=])\s*["'\x60]?)$`, "label", "annotation", "taint", "topology", "finalizer", "election")
	// nameEnd is what stands behind the name of an object.
	nameEnd = rx("^\\\\?[\"'`]?($|[ \\t;)&|`])")
	// wordEnd is what stands behind the end of a word.
	wordEnd = rx("^($|\\\\?[\"'`]|[ \\t;)&|])")
)

// ownNames are the types of Kubernetes whose objects have names of their own: none follows
// from an API.
const ownNames = `secrets?(\s+(generic|tls|docker-registry))?|configmaps?|cm|leases?(\.coordination\.k8s\.io)?|serviceaccounts?|sa|services?|svc|deployments?(\.apps)?|deploy|daemonsets?|ds|statefulsets?|sts|replicasets?|rs|pods?|po|jobs?|cronjobs?|cj|` +
	`namespaces?|ns|nodes?|no|(cluster)?roles?|(cluster)?rolebindings?|ingress(es)?|ing|networkpolic(y|ies)|persistentvolumeclaims?|pvc|persistentvolumes?|pv|storageclass(es)?|sc|csidrivers?|priorityclass(es)?|ingressclass(es)?|runtimeclass(es)?`

// asksForLabels says whether a command is about labels: it selects or prints them.
func asksForLabels(left []byte) bool {
	if m := labelVerb.FindIndex(left); m != nil {
		left = left[m[1]-1:]
	}
	return bytes.Contains(left, []byte(" -l")) || labelWords.Match(left)
}

// oneLabel says whether one label stands before the group.
func oneLabel(p *spot) bool { return p.tok.Prefix != "" && !strings.Contains(p.tok.Prefix, ".") }

// isSingular says whether it is the singular of a kind.
func isSingular(p *spot) bool {
	_, known := p.Singular(p.tok.Known.Group, p.tok.Prefix)
	return known
}

// tellsSingular takes the first label of a name for the singular of a kind,
// which follows its kind.
func tellsSingular(p *spot, s *Site) { p.asObject(s) }

// asObject reads name.group as kubectl takes and prints it, where the name is
// the singular of a kind or another name for it.
func (n *Names) asObject(s *Site) {
	if kind, ok := n.Singular(s.Known.Group, s.Prefix); ok {
		s.Known.Kind, s.Kind = kind, s.first()
	}
}

func tellsName(p *spot, s *Site) {
	tellsSingular(p, s)
	s.Facts.Plural = p.tok.Prefix
}

// handledByKopf says whether a name is the first argument of a decorator of kopf, on its
// line or on one above.
// Source: https://docs.kopf.dev/en/stable/resources/
func handledByKopf(p *spot) bool {
	head := p.v.Data[max(0, p.tok.Word.Start-text.Nearby):p.tok.Word.Start]
	return bytes.Contains(head, []byte("@kopf.")) && kopfDecorator.Match(head)
}

var kopfDecorator = lazyregexp.New(`@kopf\.(?:on\.[a-z]+|timer|daemon|index)\(\s*["']$`)

// perhapsResource says whether a name may be that of a resource: the tree says
// whether it is.
func perhapsResource(p *spot) bool { return mayBeResource(p.tok) }

func mayBeResource(tok Token) bool {
	return rules.PluralName.MatchString(tok.Prefix) && tok.Word.End == tok.Group.End
}

func tellsPrefix(p *spot, s *Site) { s.Facts.Plural = p.tok.Prefix }
