package migrate

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
)

// A ReasonInfo is why a place stays or is left to a person. Where a guess is
// behind it, its id is that of the guess.
type ReasonInfo struct {
	ID  string
	Doc string
	// says are what its words begin with or, behind a "*", hold; a reason is
	// told by the first row that fits.
	says []string
}

// Reasons are asked in this order. The last one for what stays, and for what a
// person does, takes what no row before it takes; a test holds that none does.
var Reasons = []ReasonInfo{
	{"by-hand", "a person keeps it: cfctl:keep stands there", []string{"kept by hand"}},
	{"configuration", "the configuration of the tree keeps it", []string{edit.KeptByConfig}},
	{"ruleset", "a ruleset keeps it", []string{"kept by the ruleset"}},
	{"ruleset-file", "it is the ruleset itself", []string{"the ruleset itself"}},
	{"released-folder", "a folder named after a released version", []string{"history: a folder of version "}},
	{"log-folder", "a folder of what was said at one time", []string{"history: a folder of "}},
	{"released-file", "a file named after a release", []string{"history: a released version"}},
	{"change-log", "a document that tells what changed", []string{"history: "}},
	{"guide", "a guide from one version to another, or a dated post", []string{"a guide from the old names to the new"}},
	{"conversion-code", "code that leads from the old names to the new", []string{"code that leads from the old"}},
	{"snapshot", "what a test recorded", []string{judge.Recorded}},
	{"generated-document", "a generator wrote it", []string{"written by "}},
	{"template-choice", "a template that asks what the cluster serves", []string{"the template chooses by what the cluster"}},
	{"proposal", "a design of its time", []string{"a proposal tells of"}},
	{"past-words", "its line speaks of what was", []string{"on a line that speaks of what was"}},
	{"past-constant", "a constant for what was", []string{"*is a name for what was"}},
	{"both-names", "its line names the new one as well", []string{"its line names the new one as well"}},
	{"when-words", "its line tells which version was when", []string{"on a line that tells which version was when"}},
	{"pinned-link", "a link to a page of a release or commit", []string{"a page of one version"}},
	{"version-folder", "the file is about the version that it names", []string{"this file belongs to "}},
	{"version-document", "the document is about the version that it is named after", nil},
	{"label-key", "a key of a label or annotation", []string{"a key is a contract"}},
	{"finalizer", "a finalizer", []string{"a finalizer is a contract"}},
	{"label-value", "the value of a label or annotation", []string{"the value of a label or annotation"}},
	{"label-like", "spelled as a key of a label or annotation", []string{"looks like a label or annotation key", "a key of a map"}},
	{"agreed-name", "a name that a controller or driver answers to", []string{"a name is a contract"}},
	{"object-name", "the name of an object, which is free", []string{"the name of an object of another kind"}},
	{"label-line", "on a line about labels, annotations or finalizers", []string{"on a line about labels"}},
	{"e-mail", "an e-mail address", []string{"an e-mail address"}},
	{"url", "a part of a URL", []string{"the host of a URL", "part of a URL", "the name of a host"}},
	{"longer-domain", "a part of a longer domain", []string{"part of a longer domain"}},
	{"longer-name", "a part of a longer name", []string{edit.PartOfName}},
	{"project-half", "a half of a group in PROJECT", []string{"half of a group"}},
	{"path", "a part of a path", []string{"part of a path"}},
	{"prose", "running text", []string{"a mention in running text", "a word that nothing marks as a kind"}},
	{"no-rule", "no rule moves this version, kind or resource", []string{"no rule "}},
	{"dual", "both groups are served for a while", []string{judge.DualWhy, "both groups are owned", "both versions are served"}},
	{"kept-anchor", "a link to a generated page that stays", []string{"its anchor stays"}},
	{"version-served", "a version that is served beside the new one", []string{judge.APIServiceWhy, "the reference of a version stays", "a CRD serves"}},
	{"unconverted", "the shape of its object could not be changed", []string{"an object of this file could not be converted"}},
	{"generated", "a generated file", []string{"a generated file"}},
	{"unmarked", "nothing around it says that it is a group", []string{"*does not tell that it is a group"}},
	{"file-name", "a file of this name is not renamed", []string{"no file of this name is renamed", "*is new beside it"}},

	{"unused-suppression", "a cfctl:keep that keeps nothing", []string{"this suppression keeps nothing"}},
	{"name-taken", "the new name of a file is taken", []string{"the file should be renamed, and ", "another file has ", "the file stays, "}},
	{"outside", "a name of a renamed file outside of what was named", []string{"it is renamed to "}},
	{"typed-client", "a typed client of an API that goes", []string{"the client of "}},
	{"go-type", "a Go type or package of an API that becomes another one", []string{"the Go type of a kind", "a Go type of ", "this package is "}},
	{"crd-version", "a CRD that does not serve the new version", []string{"the CRD of "}},
	{"granted", "a permission that is still needed", []string{"stays: this tree still imports"}},
	{"link", "a symbolic link to a file that is renamed", []string{"a symbolic link to a file"}},
	{"module", "a Go module or package moves", []string{"this version has the old API", "its packages are in ", "the package is ", "an import path moves"}},
	{"wrong-group", "a kind in a group where it never was", []string{"*has never been in this group"}},
	{"splits", "what it names goes to several groups or versions", []string{"it depends on the kind", "its versions go to different groups", "its resources go to different groups", "the resources of this rule", "*and stays in another group of this rule", "*and this marker has more than that", "*a rule for both would permit more", "*and the domain of the project stays", "what this rule names does not go to one", "it would move without "}},
	{"spelling", "the new name cannot be written in this string", []string{"*which cfctl cannot write in this string"}},
	{"unknown-place", "nothing around it tells what it is", []string{edit.UnknownPlace}},
	{"disagrees", "the tree does not agree with itself", []string{disagreeing}},
}

// disagreeing begins the words of what does not agree within a tree.
const disagreeing = "the tree disagrees: "

// reasonOf is the id of why a site stays or is left to a person.
func reasonOf(s Site, sets []*Ruleset) string {
	if s.Action() == Stay && keptBySet(s.Why, sets) {
		return "ruleset"
	}
	if guard := s.keeper(); guard != "" {
		return judge.ReasonOf(guard)
	}
	i := slices.IndexFunc(Reasons, func(r ReasonInfo) bool {
		return slices.ContainsFunc(r.says, func(w string) bool { return says(s.Why, w) })
	})
	switch {
	case i < 0 && s.Role == find.RoleShape:
		return "shape"
	case i < 0 && s.Action() == Person && s.Rule != "":
		return "removed" // the words are those of the rule
	case i < 0:
		return "other"
	}
	return Reasons[i].ID
}

// keeper is the id of the guard that keeps a site, "" where none does or a
// person kept it before.
func (s Site) keeper() string {
	if s.Why == "" || strings.HasPrefix(s.Why, edit.KeptByConfig) || strings.HasPrefix(s.Why, "kept by hand") {
		return ""
	}
	return s.Guard()
}

func says(why, words string) bool {
	if inside, ok := strings.CutPrefix(words, "*"); ok {
		return strings.Contains(why, inside)
	}
	return strings.HasPrefix(why, words)
}
