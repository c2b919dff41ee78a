package migrate

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Role says what a site is. The list is closed; each role has a default
// answer (see roles.go).
type Role string

// An Action is what becomes of a site.
type Action string

// The actions.
const (
	Change Action = "change" // rewritten
	Stay   Action = "keep"   // looks like one of the groups, and is not or must not move
	Person Action = "person" // a person must decide or do something
)

// A Site is one place where a name of the rules stands, with what becomes of
// it. Every occurrence is in exactly one site.
type Site struct {
	source.Span                 // in the file as it was read
	Pos         source.Position `json:"-"`
	Role        Role            `json:"role"`
	Action      Action          `json:"action"`
	Ruleset     string          `json:"ruleset,omitempty"`
	Rule        string          `json:"rule,omitempty"` // id; empty when no rule had a say
	Old         string          `json:"old"`            // the spelling that stands there
	New         string          `json:"new,omitempty"`  // the one it becomes
	Why         string          `json:"why,omitempty"`  // reason of keep and person
	Hint        string          `json:"hint,omitempty"` // the command to run, for a person
	Severe      bool            `json:"-"`              // an error in the tree, not only something left to do
	edits       []source.Edit
	fixes       []report.Fix // only when asked for by Options.Fixes
	client      *clientName  // a Go identifier that moves only with its generated client
	drop, also  source.Edit  // for a file in a list: the edit that takes it out, and the one that adds its twin
	unruled     bool         // it stays because no rule knows its version or kind
	structural  bool         // its edits change more than scalars
	twin        bool         // the new file is in the list already
	refers      source.Edit  // writes another base name of that file
	file        string       // base name of a CRD file that moves only with the file
	resource    string       // group/plural that moves only when the tree has such a resource
}

// An analysis is the reading of one file: rules in, sites out.
type analysis struct {
	*rules.Table
	*lexicon
	seek    needles
	clients []clientName
	path    string // as the user names it
	place   string // from the top of the work tree: what folders say does not depend on where cfctl is run
	format  string
	file    []byte
	opts    *Options
	off     map[string]bool // guesses that are not made
	chosen  func(data []byte) []source.Span
	apart   func(name string, text []byte) *File // reads a document as a file of its own
	history string                               // not empty: why nothing in this file changes
	made    string                               // not empty: which generator wrote this file
	learned map[string]bool                      // group/plural of the resources that this file tells of
	choices []source.Span                        // if-else chains of a template that ask what the cluster serves
	pkg     string                               // API version that the Go package of this file is named after
	sites   []Site
	sited   map[source.Span]bool // the places of the first sites, as many as were counted
	counted int
	unused  []Site        // suppressions that kept nothing
	dropped []source.Span // what goes as a whole, with every site in it
	skip    *source.Error // not nil: the file cannot be read as what its name says
}

// add records a site for a token, without an edit.
func (a *analysis) add(v *text.View, t token, role Role, action Action, why string) *Site {
	a.sites = append(a.sites, Site{Span: v.Span(t.word), Role: role, Action: action, Old: string(t.word.Of(v.Data)), Why: why})
	return &a.sites[len(a.sites)-1]
}

// keep records a site that stays. A name without a dot that nothing marks as a
// group is an ordinary word and no site at all.
func (a *analysis) keep(v *text.View, t token, role Role, why string) *Site {
	if !strings.Contains(t.site.Group, ".") && (t.shape == bare || t.shape == key || t.shape == longer || t.shape == pathPiece || t.shape == fileName) {
		return nil
	}
	return a.add(v, t, role, Stay, why)
}

// rewrite records a site whose role is certain; facts is what its
// surroundings tell beyond the token. It returns the verdict, so that the
// caller can rewrite what belongs to the site (a kind, a version beside it).
func (a *analysis) rewrite(v *text.View, t token, role Role, facts rules.GVK) rules.Answer {
	site := merge(t.site, facts)
	if why, ok := a.kept(v, t); ok {
		a.keep(v, t, role, why)
		return rules.Answer{}
	}
	a.learn(site)
	told := site.Version
	home := ""
	if told == "" && !(role == RoleMarker && facts.Plural != "") {
		home = a.homeOf(site.Group)
		site.Version = home
	}
	ver := a.Ask(site)
	if ver.Outcome == rules.Ambiguous && home != "" {
		site.Version = "" // the version of the file does not help: ask without it
		ver = a.Ask(site)
	}
	if a.opts.Dual && ver.Outcome == rules.Moves && !servesBoth(role) {
		a.keep(v, t, role, dualWhy)
		return rules.Answer{}
	}
	if ver.Outcome == rules.Moves && home != "" && ver.To.Group != site.Group && ver.To.Version != home {
		a.atHome(v, t, role, ver, home)
		return rules.Answer{}
	}
	if ver.Outcome == rules.Moves && told != "" && ver.To.Version != told {
		switch {
		case a.isHomeOf(told):
			a.atHome(v, t, role, ver, told)
			return rules.Answer{}
		case ver.To.Group == site.Group && t.shape == resource && t.kind.Len() == 0:
			a.keep(v, t, role, apiServiceWhy)
			return rules.Answer{}
		case ver.To.Group == site.Group && t.shape == anchor:
			a.keep(v, t, role, "the reference of a version stays as long as the version")
			return rules.Answer{}
		case ver.To.Group == site.Group && a.inProposal():
			a.keep(v, t, role, "a proposal tells of the version of its time")
			return rules.Answer{}
		}
	}
	switch ver.Outcome {
	case rules.NoRule:
		if a.Arrived(site) {
			return ver
		}
		if len(a.RulesOf(site.Group)) > 0 {
			if s := a.keep(v, t, role, ver.Why); s != nil {
				s.unruled = true
			}
		} else {
			a.moveKey(v, t)
		}
	case rules.Same:
	case rules.Ambiguous, rules.Removed:
		s := a.add(v, t, role, Person, ver.Why)
		s.Rule, s.Ruleset, s.Severe = ver.Rule.ID, ver.Rule.Set, true
	case rules.Moves:
		a.change(v, t, role, ver)
	}
	return ver
}

// apiServiceWhy is why an APIService keeps its version, as a CRD keeps those it serves.
const apiServiceWhy = "an APIService is one version; its server registers the new one beside it"

// isHomeOf says whether the file belongs to one API version: to the Go package
// of that name, to a folder of it, or as a document that is named after it.
// There the version is what the file is about, so that it does not become
// another one.
func (a *analysis) isHomeOf(version string) bool {
	return a.pkg == version || a.guesses("version-folder") && slices.Contains(strings.Split(path.Dir(a.place), "/"), version) ||
		a.guesses("version-document") && documentOf(a.place, version)
}

// inProposal says whether the file is a document of a folder of proposals.
func (a *analysis) inProposal() bool { return a.guesses("proposal") && isProposal(a.place) }

// documentOf says whether a file is a document whose name has a word that is
// the version: example.v1beta1.md, but not a guide from one to the other.
func documentOf(name, version string) bool {
	base := strings.ToLower(path.Base(name))
	ext := path.Ext(base)
	return slices.Contains(documentExts, ext) && slices.Contains(words(strings.TrimSuffix(base, ext)), version)
}

// homeOf is the version of a group that the file is about where it tells none:
// that of its Go package, else a version of the rules that a folder is named
// after.
func (a *analysis) homeOf(group string) string {
	if a.pkg != "" {
		return a.pkg
	}
	if !a.guesses("version-folder") {
		return ""
	}
	for _, folder := range strings.Split(path.Dir(a.place), "/") {
		if rules.APIVersion.MatchString(folder) && slices.ContainsFunc(a.RulesOf(group), func(r rules.Rule) bool { return r.From.Version == folder && r.To.Version != folder }) {
			return folder
		}
	}
	return ""
}

// atHome records a site that would leave the version that its file is about.
func (a *analysis) atHome(v *text.View, t token, role Role, ver rules.Answer, version string) {
	if ver.To.Group == t.site.Group {
		a.keep(v, t, role, "this file belongs to "+version)
		return
	}
	s := a.add(v, t, role, Person, "this file belongs to "+version+", which becomes "+ver.To.Group+"/"+ver.To.Version)
	s.Rule, s.Ruleset, s.Hint = ver.Rule.ID, ver.Rule.Set, "move the package or folder, then run again"
}

// kept says whether the ruleset keeps the spelling of a token.
func (a *analysis) kept(v *text.View, t token) (string, bool) {
	if a.history != "" {
		return a.history, true
	}
	if text.Inside(a.choices, v.Span(t.word).Start) {
		return "the template chooses by what the cluster serves", true
	}
	for _, s := range []source.Span{t.word, {Start: t.word.Start, End: t.group.End}} {
		if why, ok := a.Keeps(string(s.Of(v.Data))); ok {
			if why == "" {
				why = "kept by the ruleset"
			}
			return why, true
		}
	}
	return "", false
}

// change records a rewritten site.
func (a *analysis) change(v *text.View, t token, role Role, ver rules.Answer) *Site {
	old := string(t.word.Of(v.Data))
	spelled := t.spell(v.Data, ver.To)
	if spelled == old {
		return nil // what the token itself tells stays
	}
	s := a.add(v, t, role, Change, "")
	s.Rule, s.Ruleset, s.New = ver.Rule.ID, ver.Rule.Set, spelled
	a.part(s, v, t.group, t.site.Group, ver.To.Group)
	if t.ver.Len() > 0 && ver.To.Version != "" {
		a.part(s, v, t.ver, t.site.Version, ver.To.Version)
	}
	if name := t.kindTo(v.Data, ver.To); t.kind.Len() > 0 && name != "" {
		a.part(s, v, t.kind, string(t.kind.Of(v.Data)), name)
	}
	return s
}

// part adds the edit that makes text of a span of the view, which holds old.
// Where that cannot be done, the site is for a person.
func (a *analysis) part(s *Site, v *text.View, span source.Span, old, text string) {
	if old == text {
		return
	}
	e, err := v.Edit(span, old, text)
	if err != nil {
		s.Action, s.New, s.edits = Person, "", nil
		s.Why, s.Hint = "becomes "+strings.Join(strings.Fields(text), " ")+", which cfctl cannot write in this string", "write it by hand"
		return
	}
	s.edits = append(s.edits, e)
}

// beside records the rewriting of something that belongs to a site: the kind
// or version next to a group.
func (a *analysis) beside(v *text.View, span source.Span, role Role, rule rules.Rule, text string) {
	old := string(span.Of(v.Data))
	if old == text || text == "" {
		return
	}
	f := v.Span(span)
	if a.hasSite(f) {
		return
	}
	s := Site{Span: f, Role: role, Action: Change, Rule: rule.ID, Ruleset: rule.Set, Old: old, New: text}
	a.part(&s, v, span, old, text)
	a.sites = append(a.sites, s)
}

// hasSite says whether a site stands at a place.
func (a *analysis) hasSite(s source.Span) bool {
	if a.sited == nil || len(a.sites) < a.counted {
		a.sited, a.counted = map[source.Span]bool{}, 0
	}
	for ; a.counted < len(a.sites); a.counted++ {
		a.sited[a.sites[a.counted].Span] = true
	}
	return a.sited[s]
}

// merge adds facts to what a token tells; the token wins.
func merge(site, facts rules.GVK) rules.GVK {
	if site.Version == "" {
		site.Version = facts.Version
	}
	if site.Kind == "" && site.Plural == "" {
		site.Kind, site.Plural = facts.Kind, facts.Plural
	}
	return site
}

// moveKey settles a label, annotation or finalizer key that a ruleset moves: it
// is rewritten, or stays where a ruleset keeps it. It says false for a key that
// no ruleset moves.
func (a *analysis) moveKey(v *text.View, t token) bool {
	if a.history != "" || len(a.Keys()) == 0 {
		return false
	}
	if why, ok := a.kept(v, t); ok {
		a.keep(v, t, RoleKey, why)
		return true
	}
	word := string(t.word.Of(v.Data))
	k, ok := a.Key(word)
	if !ok && t.word.End < len(v.Data) && v.Data[t.word.End] == '/' { // the prefix itself
		k, ok = a.Key(word + "/")
		k.From, k.To = strings.TrimSuffix(k.From, "/"), strings.TrimSuffix(k.To, "/")
	}
	if !ok || a.staysWithVersion(k.From) || a.inProposal() && sameDomain(k) || a.guesses("both-names") && namesBoth(a.file, v.Span(t.word), k.To+word[len(k.From):]) {
		return false
	}
	s := a.add(v, t, RoleKey, Change, "")
	s.New, s.Rule, s.Ruleset = k.To+word[len(k.From):], "keys", a.Sets()[0].Name
	a.part(s, v, source.Span{Start: t.word.Start, End: t.word.Start + len(k.From)}, k.From, k.To)
	return true
}

// sameDomain says whether a rule for a key leaves its domain alone: then the
// key belongs to a version, not to a name of the project.
func sameDomain(k rules.KeyRule) bool {
	from, _, _ := strings.Cut(k.From, "/")
	to, _, _ := strings.Cut(k.To, "/")
	return from == to
}

// namesBoth says whether the line of a name has the new spelling as well: it
// tells what became of what, or serves both.
func namesBoth(data []byte, word source.Span, fresh string) bool {
	low := max(0, word.Start-text.Nearby)
	from := low + text.LineStart(data[low:], word.Start-low)
	to, _ := text.LineEnd(data, word.End, min(len(data), word.End+text.Nearby))
	return containsName(data[from:word.Start], fresh) || containsName(data[word.End:to], fresh)
}

// containsName says whether a name stands in text as a whole.
func containsName(content []byte, name string) bool {
	for at := 0; ; {
		n := bytes.Index(content[at:], []byte(name))
		if n < 0 {
			return false
		}
		at += n
		end := at + len(name)
		if (at == 0 || !text.IsWordByte(content[at-1]) && content[at-1] != '.') && (end == len(content) || !text.IsWordByte(content[end])) {
			return true
		}
		at = end
	}
}

// staysWithVersion says whether a key belongs to a version that does not move:
// the file is about that version, and the rules for the key's group name others.
func (a *analysis) staysWithVersion(key string) bool {
	if a.pkg == "" {
		return false
	}
	domain, _, _ := strings.Cut(key, "/")
	for at := domain; at != ""; _, at, _ = strings.Cut(at, ".") { // the longest group that ends it
		if list := a.RulesOf(at); len(list) > 0 {
			return !slices.ContainsFunc(list, func(r rules.Rule) bool {
				return r.From.Version == "" || r.From.Version == a.pkg || r.To.Version == a.pkg
			})
		}
	}
	return false
}

// uncertain is the reason given where a name stands in a place that does not
// tell what it is.
func uncertain(what string) string { return fmt.Sprintf("%s does not tell that it is a group", what) }
