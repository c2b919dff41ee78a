package judge

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
)

// A Guard is a reason by which a place that a rule would move stays.
type Guard struct {
	ID  string // kebab-case
	Doc string // what stays, and why; one sentence
	// Guess says that it goes by what stands around a place, or by the path of its
	// file. A guess can be switched off, by a ruleset and by a flag.
	Guess bool
	// In are the formats that it speaks for: those with all of these traits; 0 is
	// for every one. Files of others are never asked about.
	In find.Traits
	// Reason is the id of its reason in the account, where others give the same
	// one; empty = its own id.
	Reason string
	// One of these is its test. It says why something stays, or "".
	file    func(t *rules.Table, f *file) string                 // a whole file
	site    func(c *asked) string                                // a site, whatever the rules say
	version func(f *Facts, s *find.Site, at rules.GVK) belonging // a group and version, whether a site belongs to it
	moved   func(c *asked) string                                // a site that would move
}

// Guards are asked in this order.
var Guards = []Guard{
	{ID: "ruleset", Reason: "ruleset-file", Doc: "the file of a ruleset names the old API on purpose", file: rulesetOf},
	{ID: "kept-path", Reason: "ruleset", Doc: "a ruleset keeps the files of a path", file: keptPath},
	{ID: "change-log", Guess: true, In: find.Written, Doc: "documents named CHANGELOG, HISTORY, NEWS and the like tell what was", file: logOf},
	{ID: "log-folder", Guess: true, Doc: "documents in folders of release notes or blogs tell what was; changelogs, versioned_docs and _posts hold nothing else", file: logFolderOf},
	{ID: "guide", Guess: true, In: find.Written, Doc: "guides from one version to another, and dated posts, name the old API on purpose", file: guideOf},
	{ID: "conversion-code", Guess: true, Doc: "code of a conversion or migration, and what it is tested with, name the old API on purpose", file: overOf},
	{ID: "snapshot", Guess: true, Doc: "a test recorded it, and records it again", file: recordedIn},
	{ID: "released-folder", Guess: true, Doc: "a folder named after a released version holds what was released", file: releasedIn},
	{ID: "released-file", Guess: true, Doc: "a file of releases/ or archive/ named after a version is that release, as is a manifest named after the version of its images", file: releasedAs},
	{ID: "generated-document", Guess: true, In: find.Written, Doc: "the reference that a generator wrote is generated again", file: generatedBy},
	{ID: "template-choice", Guess: true, Doc: "a template that asks what the cluster serves names the old version on purpose", site: inChoice},
	{ID: "kept-value", Reason: "ruleset", Doc: "a ruleset keeps a spelling", site: keptValue},
	{ID: "dual-mode", Reason: "dual", Doc: "while both groups are served, everything but permissions and CRDs stays", moved: servedBoth},
	{ID: "kept-webhook", Doc: "a webhook that is called for more than what moves to one group keeps its name", moved: calledForOthers},
	{ID: "version-package", Reason: "version-folder", Doc: "a Go package or a schema of an API version is about that version of its group", version: inPackage},
	{ID: "version-folder", Guess: true, Doc: "a folder named after an API version is about that version of its group", version: inFolder},
	{ID: "version-document", Guess: true, In: find.Written, Doc: "a document named after an API version is about that version", version: inDocument},
	{ID: "api-service", Reason: "version-served", Doc: "an APIService is one version; its server registers the new one beside it", moved: ofAPIService},
	{ID: "version-reference", Reason: "version-served", Doc: "the reference of a version stays as long as the version", moved: ofReference},
	{ID: "proposal", Guess: true, In: find.Written, Doc: "a proposal tells of the version of its time", moved: inProposal},
	{ID: "both-names", Guess: true, Doc: "a line that names the new one as well tells what became of what, or serves both", moved: namesBoth},
	{ID: "past-constant", Guess: true, Doc: "a constant called old, legacy or former is a name for what was", moved: ofThePast},
	{ID: "past-words", Guess: true, Doc: "a line that speaks of what was names it on purpose", moved: speaksOfPast},
	{ID: "when-words", Guess: true, Doc: "a line that tells which version was when names it on purpose", moved: tellsWhen},
	{ID: "pinned-link", Guess: true, Doc: "a link to a page or a file of a release or a commit leads to what was there", moved: inPinnedLink},
}

// Formats are the names of the formats that a guard speaks for.
func (g *Guard) Formats() []string { return find.FormatsWith(g.In) }

// ReasonOf is the id of the reason that a guard gives, "" for no guard.
func ReasonOf(guard string) string {
	for _, g := range Guards {
		if g.ID == guard && g.Reason != "" {
			return g.Reason
		}
	}
	return guard
}

// IsGuess says whether a guard is one that can be switched off.
func IsGuess(guard string) bool {
	return slices.ContainsFunc(Guards, func(g Guard) bool { return g.ID == guard && g.Guess })
}

// Off are the guesses that are not made, by their ids: those of some names, and
// those that rulesets switch off. An unknown one is an error that names the
// nearest.
func Off(names []string, sets []*rules.Ruleset) (map[string]bool, error) {
	var known []string
	for _, g := range Guards {
		if g.Guess {
			known = append(known, g.ID)
		}
	}
	for _, set := range sets {
		names = append(names[:len(names):len(names)], set.Guess.Off...)
	}
	off := map[string]bool{}
	for _, name := range names {
		if !slices.Contains(known, name) {
			e := &source.Error{Path: "guess", Err: fmt.Errorf("no guess is named %q", name)}
			if near := spelling.Nearest(name, known); near != "" {
				e.Hint = fmt.Sprintf("did you mean %q?", near)
			}
			return nil, e
		}
		off[name] = true
	}
	return off, nil
}

// rulesetOf says why the file of a ruleset stays.
func rulesetOf(t *rules.Table, f *file) string {
	if slices.ContainsFunc(t.Sets(), func(set *rules.Ruleset) bool { return set.Is(f.Data) }) {
		return "the ruleset itself"
	}
	return ""
}

const byRuleset = "kept by the ruleset"

// keptPath says why a ruleset keeps a file.
func keptPath(t *rules.Table, f *file) string {
	for _, k := range t.KeptPaths() {
		if MatchPath(k.Path, f.Path) {
			if k.Why == "" {
				return byRuleset
			}
			return k.Why
		}
	}
	return ""
}

// inChoice says why what a template chooses by the cluster stays.
func inChoice(c *asked) string {
	if text.Inside(c.facts.Chart.Choices, c.span.Start) {
		return "the template chooses by what the cluster serves"
	}
	return ""
}

// keptValue says why a ruleset keeps a spelling: the whole of it, or what ends
// with its group.
func keptValue(c *asked) string {
	for _, s := range []source.Span{c.Word, {Start: c.Word.Start, End: c.Group.End}} {
		if why, ok := c.table.Keeps(string(s.Of(c.Doc.Data))); ok {
			if why == "" {
				return byRuleset
			}
			return why
		}
	}
	return ""
}

// servedBoth says why a site stays in dual mode. Permissions, webhooks, markers
// and CRDs have their own answers there.
func servedBoth(c *asked) string {
	if c.facts.Dual && c.Place.Role != find.RoleRBAC {
		return DualWhy
	}
	return ""
}

// DualWhy is why a site stays in dual mode.
const DualWhy = "stays while both groups are served; --mode replace moves it"

// changesVersion says whether a site tells its version, and it alone would change.
func (c *asked) changesVersion() bool {
	return c.told != "" && c.answer.To.Version != c.told && c.answer.To.Group == c.known.Group
}

// apiServiceWhy is why an APIService keeps its version.
const apiServiceWhy = "an APIService is one version; its server registers the new one beside it"

// ofAPIService says why an APIService keeps its version, as a CRD keeps those it serves.
func ofAPIService(c *asked) string {
	if c.changesVersion() && c.Shape == find.Resource && c.Kind.Len() == 0 {
		return apiServiceWhy
	}
	return ""
}

func ofReference(c *asked) string {
	if c.changesVersion() && c.Shape == find.Anchor {
		return "the reference of a version stays as long as the version"
	}
	return ""
}

func inProposal(c *asked) string {
	if c.changesVersion() && isProposal(c.facts.Path) {
		return "a proposal tells of the version of its time"
	}
	return ""
}

// pastName is a word of an identifier for what was there before.
var pastName = lazyregexp.New(`(^|_)([Oo]ld|[Ll]egacy|[Dd]eprecated|[Pp]revious|[Ff]ormer)([A-Z_]|$)|(^|_)(OLD|LEGACY|DEPRECATED|PREVIOUS|FORMER)(_|$)|[a-z0-9](Old|Legacy|Deprecated|Previous|Former)([A-Z_]|$)`)

func ofThePast(c *asked) string {
	if c.Tree == nil && c.Name != "" && pastName.MatchString(c.Name) {
		return c.Name + " is a name for what was"
	}
	return ""
}

// pastWords tell that a line speaks of what was, so that the old name belongs there.
var pastWords = text.NewPattern(`(?i)\b(was|were|former|formerly|previous|previously|old|older|legacy|deprecated|renamed|moved|migrated?|migrating|instead|originally|historical(ly)?)\b|→|->`,
	"was", "were", "former", "previous", "old", "legacy", "deprecated", "renamed", "moved", "migrat", "instead", "original", "historical", "→", "->")

// domainWord tells that a line speaks of a name as a domain.
var domainWord = text.NewPattern(`(?i)\bdomain\b`, "domain")

var dottedName = lazyregexp.New(`[A-Za-z0-9-]+([./][A-Za-z0-9-]+)+`)

// speaksOfPast says why a name in quotes stays. Words count outside of names.
func speaksOfPast(c *asked) string {
	if c.Place != find.QuotedGroup {
		return ""
	}
	left, right := c.line()
	switch {
	case says(pastWords, dottedName, left) || says(pastWords, dottedName, right):
		return "on a line that speaks of what was"
	case says(domainWord, dottedName, left) || says(domainWord, dottedName, right):
		return "on a line that speaks of a domain"
	}
	return ""
}

// namesBoth says why a name stays on whose line the new one stands as well.
func namesBoth(c *asked) string {
	const why = "its line names the new one as well"
	fresh := c.Spell(c.Doc.Data, c.answer.To)
	switch {
	case c.Entry.Len() > 0 && onLine(c.facts.Data, c.Entry, fresh):
		return why
	case c.Phrase && c.Mode != find.InShell && isGroup(c.Shape) && onLine(c.Doc.Data, c.Word, fresh):
		return why
	}
	return ""
}

func isGroup(s find.Shape) bool {
	return s == find.Bare || s == find.GroupVersion || s == find.GroupVersionKind
}

// onLine says whether the line of a name has another one as well: it tells what
// became of what, or serves both.
func onLine(data []byte, word source.Span, fresh string) bool {
	low := max(0, word.Start-text.Nearby)
	from := low + text.LineStart(data[low:], word.Start-low)
	to, _ := text.LineEnd(data, word.End, min(len(data), word.End+text.Nearby))
	return ContainsName(data[from:word.Start], fresh) || ContainsName(data[word.End:to], fresh)
}

// ContainsName says whether a name stands in text as a whole.
func ContainsName(content []byte, name string) bool {
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

// whenWords tell that a line says which version of an API there was when:
// "for Kubernetes before 1.9 use apps/v1beta2".
var whenWords = text.NewPattern(`(?i)\b(deprecated|removed|no longer|formerly|renamed|replaced by|in favou?r of|migrat(e|es|ed|ing)|legacy)\b|→|`+
	`\b(before|prior to|older than|earlier than|until|up to|below|kubernetes|k8s|versions?)\s+((k8s|kubernetes|cluster|versions?|releases?)\s+)*[<>]?=?\s*v?1\.[0-9]+|\b1\.[0-9]+(\.[0-9x]+)?(\+| and (older|earlier|before|below|newer|later|above))`,
	"deprecated", "removed", "no longer", "formerly", "renamed", "replaced by", "in favo", "migrat", "legacy", "→", "1.")

// dottedVersions are names in which no word counts: apps/v1, .Values.legacy, $legacy.
var dottedVersions = lazyregexp.New(`[A-Za-z][A-Za-z0-9.-]*/v[0-9][a-z0-9]*|(?:\.|\$)[A-Za-z_][\w.]*`)

func tellsWhen(c *asked) string {
	if c.Place != find.SaidVersion {
		return ""
	}
	left, right := c.line()
	if !says(whenWords, dottedVersions, left) && !says(whenWords, dottedVersions, right) || c.alongside(left) || c.alongside(right) {
		return ""
	}
	return "on a line that tells which version was when"
}

// alongside says whether a part of the line names another version of the group, where both
// keep their versions in the new one: what it tells of them is as true there. So is the
// deprecationWarning of a CRD, as linkerd2 and pulumi-kubernetes-operator have it.
func (c *asked) alongside(part []byte) bool {
	if c.answer.To.Version != c.known.Version {
		return false
	}
	for _, name := range dottedVersions.FindAll(part, -1) {
		group, version, _ := strings.Cut(string(name), "/")
		if to := c.table.Ask(rules.GVK{Group: group, Version: version}).To; group == c.known.Group && version != c.known.Version && to.Group == c.answer.To.Group && to.Version == version {
			return true
		}
	}
	return false
}

// pinned is a link to a page as it was at one time: of a release, or of a commit.
var pinned = lazyregexp.New(`/(blob|tree|raw)/|/(v|release-|version-)?[0-9]+\.[0-9]+[^/]*/`)

func inPinnedLink(c *asked) string {
	left, _ := c.line()
	switch link := left[bytes.LastIndexAny(left, " \t\"'`<>()[]")+1:]; {
	case c.Place == find.Anchored && pinned.Match(link):
		return "a page of one version"
	case c.Place == find.CRDFile && bytes.Contains(link, []byte("://")) && pinnedFile.Match(link):
		return "a file of one version"
	}
	return ""
}

// pinnedFile is an address of a file of a release, or of a commit: a branch holds the file
// under its new name. Upgrade guides of hcp-terraform-operator, kubevela, flink-kubernetes-operator.
var pinnedFile = lazyregexp.New(`/(?:(?:v|release-|version-)?[0-9]+\.[0-9]+[^/]*|[0-9a-f]{7,40})/`)

// Linked says why the name of a CRD's file in a link stays, and by which guard; "" where it does not.
func Linked(s *find.Site, f *Facts) (why, guard string) {
	for i := range Guards {
		if g := &Guards[i]; g.ID == "pinned-link" && f.asks(g) {
			return inPinnedLink(&asked{Site: s, facts: f}), g.ID
		}
	}
	return "", ""
}

// IsPinned says whether an address is that of a page of a release or of a commit.
func IsPinned(address string) bool { return pinned.MatchString(address) }

// says whether a text holds words, outside of names.
func says(words *text.Pattern, names *lazyregexp.Regexp, content []byte) bool {
	return words.Mentions(content) && words.Match(names.ReplaceAll(content, nil))
}

// line is what stands on the line of a site before and behind it, as far as it
// is nearby.
func (c *asked) line() (left, right []byte) {
	around := text.LineAround(c.Doc.Data, c.Word)
	return c.Doc.Data[around.Start:c.Word.Start], c.Doc.Data[c.Word.End:around.End]
}
