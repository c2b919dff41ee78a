package migrate

import (
	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"

	"github.com/project-codeflare/cfctl/internal/report"
)

// A reasonInfo is why a place stays or is left to a person. Where a guess is
// behind it, its id is that of the guess.
type reasonInfo struct {
	ID  string
	Doc string
}

// reasons are all reasons. A test holds that the code gives no other ones, and
// each of these.
var reasons = []reasonInfo{
	{"by-hand", "a person keeps it: cfctl:keep stands there"},
	{"configuration", "the configuration of the tree keeps it"},
	{"ruleset", "a ruleset keeps it"},
	{"ruleset-file", "it is the ruleset itself"},
	{"released-folder", "a folder named after a released version"},
	{"log-folder", "a folder of what was said at one time"},
	{"released-file", "a file named after a release"},
	{"change-log", "a document that tells what changed"},
	{"guide", "a guide from one version to another, or a dated post"},
	{"conversion-code", "code that leads from the old names to the new"},
	{"snapshot", "what a test recorded"},
	{"generated-document", "a generator wrote it"},
	{"template-choice", "a template that asks what the cluster serves"},
	{"proposal", "a design of its time"},
	{"past-words", "its line speaks of what was"},
	{"past-constant", "a constant for what was"},
	{"both-names", "its line names the new one as well"},
	{"when-words", "its line tells which version was when"},
	{"pinned-link", "a link to a page or file of a release or commit"},
	{"version-folder", "the file is about the version that it names"},
	{"version-document", "the document is about the version that it is named after"},
	{"label-key", "a key of a label or annotation"},
	{"finalizer", "a finalizer"},
	{"label-value", "the value of a label or annotation"},
	{"label-like", "spelled as a key of a label or annotation"},
	{"agreed-name", "a name that a controller or driver answers to"},
	{"object-name", "the name of an object, which is free"},
	{"chosen-webhook", "a webhook is chosen by it that stays, or is of another tree"},
	{"label-line", "on a line about labels, annotations or finalizers"},
	{"e-mail", "an e-mail address"},
	{"url", "a part of a URL"},
	{"longer-domain", "a part of a longer domain"},
	{"longer-name", "a part of a longer name"},
	{"project-half", "a half of a group in PROJECT"},
	{"path", "a part of a path"},
	{"prose", "running text"},
	{"no-rule", "no rule moves this version, kind or resource"},
	{"dual", "both groups are served for a while"},
	{"both-granted", "a group in a list that names the new one as well"},
	{"kept-anchor", "a link to an anchor that stays"},
	{"another-site", "a link to an anchor of another site"},
	{"version-served", "a version that is served beside the new one"},
	{"unconverted", "the shape of its object could not be changed"},
	{"generated", "a generated file"},
	{"selected", "a selector of objects that stay"},
	{"unmarked", "nothing around it says that it is a group"},
	{"file-name", "a file of this name is not renamed"},

	{"unused-suppression", "a cfctl:keep that keeps nothing"},
	{"name-taken", "the new name of a file is taken"},
	{"outside", "a name of a renamed file outside of what was named"},
	{"typed-client", "a typed client of an API that goes"},
	{"go-type", "a Go type or package of an API that becomes another one"},
	{"go-built", "a part of an API that Go code puts together far from its group"},
	{"no-group", "a kind or version that gets another name, or a resource, beside which no group stands, or one that is filled in or moves without it"},
	{"constant", "a kind, resource or version beside a constant that is its group"},
	{"go-key", "a group of which source makes keys that stay"},
	{"crd-version", "a CRD that does not serve the new version"},
	{"granted", "a permission that is still needed"},
	{"link", "a symbolic link to a file that is renamed"},
	{"kept-webhook", "a webhook keeps its name with that of its configuration, or since it is called for others as well"},
	{"own-package", "an import of a package of this tree, whose path stays"},
	{"module", "a Go module or package moves"},
	{"wrong-group", "a kind in a group where it never was"},
	{"template-branches", "a choice by what the cluster serves, which a person moves"},
	{"splits", "what it names goes to several groups or versions"},
	{"twin", "a CRD whose copy in the new group cannot be written, or which cannot go by itself"},
	{"twin-patch", "a patch of a CRD, and none of the one in the new group that is served beside it"},
	{"webhook-path", "the path of a webhook that is not rewritten, though its group moves"},
	{"shared", "several objects take it from one place, and do not move alike"},
	{"removed", "a rule removes it; the words are those of the rule"},
	{"shape", "an object whose shape changes, and that a person must look at"},
	{"spelling", "the new name cannot be written in this string"},
	{"unknown-place", "nothing around it tells what it is"},
	{"heading-link", "a link to a heading that becomes another one"},
	{"schema-file", "a file of a catalog of schemas, or its folder, which is named after the group"},
	{"operator-role", "a role that OLM names after a resource"},
	{"permitted-version", "a permission to a group with its version, which permits nothing"},
	{"disagrees", "the tree does not agree with itself"},
}

// ReasonRules are the reasons of the account as kinds of findings.
func ReasonRules() report.Rules {
	var list report.Rules
	for _, r := range reasons {
		list = append(list, report.Rule{ID: r.ID, Doc: r.Doc, Severity: report.Note})
	}
	return list
}

// RoleRules are the roles of places as kinds of findings.
func RoleRules() report.Rules {
	var list report.Rules
	for _, r := range find.Roles {
		list = append(list, report.Rule{ID: string(r.Role), Doc: r.Doc + " (" + r.Default + ")", Severity: report.Note})
	}
	return list
}

// keeper is the id of the guard that keeps a site, "" where none does or a
// person kept it before.
func (s Site) keeper() string {
	if s.Reason == "by-hand" || s.Reason == edit.Configured {
		return ""
	}
	return s.Guard()
}
