package migrate

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// What commands and scripts say of a kind or a resource beside which no group stands:
// kubectl get widgets, k8s_kind('^Widget$'), and the words that a script hands to kubectl.

var (
	// ofKubectl is a command up to (1) the types that it is about, one or several.
	ofKubectl = lazyregexp.New(`^(?:kubectl|oc)(?:\.exe)?\b[^\n|;&#]*?[\s"',\[](?:get|describe|delete|edit|patch|label|annotate|wait|watch|explain|scale|can-i[\s"',]+[a-z*]+)` +
		`(?:[\s"',\[\]\\]+(?:-[nlofLcsk][\s"',]+[^\s"',]+|--(?:namespace|selector|output|filename|context|kubeconfig|label-columns|field-selector|sort-by|timeout|for)[\s"',=]+[^\s"',]+|-[^\s"',]+))*` +
		`[\s"',\[\]\\]+(\$\{?\w+|[A-Za-z][\w.-]*(?:,[A-Za-z][\w.-]*)*)`)
	// tiltKind is (1) the kind that Tilt is told of, as a regular expression, and (2) whatever else.
	// Source: docs.tilt.dev/api, k8s_kind.
	tiltKind = lazyregexp.New(`\bk8s_kind\(\s*(?:kind\s*=\s*)?["']\^?(\w+)\$?["']([^)\n]*)`)
	// dictEntry is an entry of what a template hands to another one: (1) its value.
	dictEntry = lazyregexp.New(`(?i)"(?:kinds?|resources?|plural)"\s+"(\w+)"`)
	// templateAction is an action of a template without comments, actionString (1) a word in one.
	templateAction = lazyregexp.New(`(?s)\{\{-?\s*[^/].*?\}\}`)
	actionString   = lazyregexp.New("[\"`](\\w+)[\"`]")
	// listed is a list of words of a script, (1): of a loop, of an array.
	listed = lazyregexp.New(`\bfor\s+\w+\s+in\s+([^;\n]+)|=\(([^)]*)\)`)
	// scriptWord is a word of a script, and (1) what it says.
	scriptWord = lazyregexp.New(`(?:^|[\s("'=])([A-Za-z]\w*)(?:[\s)"';,]|$)`)
)

// commands reads the commands and lists of words in a file.
func (r *bareReader) commands(shell bool) {
	handed := false
	for _, program := range []string{"kubectl", "oc"} {
		for at := 0; ; {
			n := bytes.Index(r.data[at:], []byte(program))
			if n < 0 {
				break
			}
			from := at + n
			at = from + len(program)
			if from == 0 || !text.IsIdent(r.data[from-1]) {
				handed = r.command(from) || handed
			}
		}
	}
	if bytes.Contains(r.data, []byte("k8s_kind")) {
		r.tilt()
	}
	if text.HasTemplate(r.data) {
		for _, m := range dictEntry.FindAllSubmatchIndex(r.data, -1) {
			r.word(text.SpanOf(m[2], m[3]), false)
		}
		r.actions()
	}
	if shell && handed {
		r.handed()
	}
}

// actions reads the strings in the actions of a template that are a kind or a resource, where
// the template spells its group: they are given names, or handed to others.
func (r *bareReader) actions() {
	spelled := map[string]bool{}
	r.noteGroups(spelled, r.data)
	if len(spelled) == 0 {
		return
	}
	for _, action := range templateAction.FindAllIndex(r.data, -1) {
		for _, m := range actionString.FindAllSubmatchIndex(r.data[action[0]:action[1]], -1) {
			at := text.SpanOf(action[0]+m[2], action[0]+m[3])
			if name := r.names[string(at.Of(r.data))]; name != nil && slices.ContainsFunc(name.groups, func(group string) bool { return spelled[group] }) {
				r.sites = append(r.sites, bareSite{at: at, name: name, far: true})
			}
		}
	}
}

// command reads the types that a command is about; it says whether a variable is one.
func (r *bareReader) command(from int) bool {
	m := ofKubectl.FindSubmatchIndex(r.commandAt(from))
	if m == nil {
		return false
	}
	in := text.SpanOf(from+m[2], from+m[3])
	if rest := r.data[in.End:]; in.End > in.Start && r.data[in.End-1] == '.' && len(rest) > 0 && fillsIn(string(rest[:1])) { // widgets.{{ .Values.group }}
		in.End--
	}
	for at := in.Start; at < in.End; {
		one, _, _ := bytes.Cut(r.data[at:in.End], []byte(","))
		r.word(text.SpanOf(at, at+len(one)), true)
		at += len(one) + 1
	}
	return r.data[in.Start] == '$'
}

// commandAt is a command on a line, or the words of one that are items of YAML below it,
// each where it stands.
func (r *bareReader) commandAt(from int) []byte {
	end, next := text.LineEnd(r.data, from, len(r.data))
	line := r.data[from:end]
	if !wordAlone.Match(line) {
		return line
	}
	for range mostItems {
		last, below := text.LineEnd(r.data, next, len(r.data))
		if next >= last || !itemBelow.Match(r.data[next:last]) {
			break
		}
		end, next = last, below
	}
	command := bytes.Clone(r.data[from:end])
	for _, mark := range betweenItems.FindAllIndex(command, -1) {
		for i := mark[0]; i < mark[1]; i++ {
			command[i] = ' '
		}
	}
	return command
}

// mostItems is how many words of a command are read, one on each line.
const mostItems = 20

var (
	wordAlone    = lazyregexp.New(`^\w+["']?,?\s*\]?\s*$`)
	itemBelow    = lazyregexp.New(`^\s*(?:-\s|(?:args|command):|["'])`)
	betweenItems = lazyregexp.New(`\r?\n\s*(?:-\s+)?(?:(?:args|command):)?`)
)

// tilt reads the kinds of which a Tiltfile tells.
func (r *bareReader) tilt() {
	for _, m := range tiltKind.FindAllSubmatchIndex(r.data, -1) {
		if !bytes.Contains(r.data[m[4]:m[5]], []byte("api_version")) {
			r.word(text.SpanOf(m[2], m[3]), false)
		}
	}
}

// handed reads the words that a script may hand to kubectl, which asks for a type by a
// variable.
func (r *bareReader) handed() {
	for at := 0; at < len(r.data); {
		end, next := text.LineEnd(r.data, at, len(r.data))
		line := text.SpanOf(at, end)
		at = next
		if !r.finder.Match(line.Of(r.data)) || bytes.HasPrefix(bytes.TrimSpace(line.Of(r.data)), []byte("#")) {
			continue
		}
		for from := line.Start; from < line.End; {
			m := scriptWord.FindSubmatchIndex(r.data[from:line.End])
			if m == nil {
				break
			}
			r.word(text.SpanOf(from+m[2], from+m[3]), false)
			from += m[3]
		}
	}
	for _, m := range listed.FindAllSubmatchIndex(r.data, -1) {
		from, end := max(m[2], m[4]), max(m[3], m[5])
		for _, w := range plainWord.FindAllIndex(r.data[from:end], -1) {
			r.word(text.SpanOf(from+w[0], from+w[1]), true)
		}
	}
}

var plainWord = lazyregexp.New(`[A-Za-z][\w.-]*`)

// word notes a word that is the name of a kind or a resource; of one kind as well, where
// that is not any word.
func (r *bareReader) word(at source.Span, one bool) {
	name := r.names[string(at.Of(r.data))]
	if name == nil && one {
		name = r.kubectl[strings.ToLower(string(at.Of(r.data)))]
	}
	if name != nil {
		r.sites = append(r.sites, bareSite{at: at, name: name})
	}
}
