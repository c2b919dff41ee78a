package judge

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// A past is the path of a file that says how something was. Its id is that of a heuristic
// that can be switched off, why is what is said of the file.
type past struct {
	id, why string
	path    *lazyregexp.Regexp
}

// pasts are the paths of records: a changelog, release notes, an upgrade guide, a folder
// named like a released version, a dated post.
var pasts = []past{
	{"change-log", "the file is a changelog or release notes, by its name", lazyregexp.New(`(?i)(^|/)(changelog|changes|release[-_ ]?notes?|releases?|news|history)(\.[a-z0-9.-]+)?\.(md|rst|adoc|txt|mdx)$|(^|/)CHANGELOG[^/]*$`)},
	{"guide", "the file is a guide to an upgrade or a dated post, by its name or title", lazyregexp.New(`(?i)(^|/)((upgrad(e|ing)|migrat(e|ing|ion))([-_](to|from)[-_][a-z0-9._-]+|[-_]?(guide|notes)?[-_]?(v?[0-9][-_a-z0-9.]*)?)|breaking[-_]changes|whats[-_]?new)(\.[a-z0-9.-]+)?\.(md|rst|adoc|txt|mdx)$` +
		`|(^|/)(upgrad(e|ing)|migrat(e|ing|ions?))/[^/]*v?[0-9]+[^/]*\.(md|rst|adoc|txt|mdx)$` +
		`|(^|/)[0-9]{4}-[0-9]{2}-[0-9]{2}[-_][^/]*$`)},
	{"log-folder", "the file is a post, a release note or documentation of an earlier version, by its folder", lazyregexp.New(`(?i)(^|/)(changelogs?|release[-_]?notes?|\.?changes|blog|_?posts|versioned_docs)/`)},
	{"released-folder", "the folder is named like a release, whose files do not change", lazyregexp.New(`(?i)(^|/)(v?[0-9]+\.[0-9]+(\.[0-9x]+)?([-+][a-z0-9.]+)?|v[0-9]+[-_.][0-9]+[-_.x0-9]*|version-[0-9]+\.[0-9.]+)/|(^|/)releases?/([^/]+/)*[^/]*-v?[0-9]+\.[0-9]+[^/]*/|(^|/)[^/]*-v?[0-9]+\.[0-9]+\.[0-9]+(-[a-z]+)?/`)},
	{"released-file", "the name of the file has the version of a release, whose files do not change", lazyregexp.New(`(?i)(^|/)([^/]*[-_.])?v[0-9]+\.[0-9]+(\.[0-9]+)?[^/]*\.(go|ya?ml|json)$|(^|/)releases?/([^/]*[-_.])?v?[0-9]+\.[0-9]+\.[0-9]+[^/]*\.(ya?ml|json|md|rst|adoc)(\.[a-z]+)?$` +
		`|(^|/)([^/]*[-_.])?v[0-9]+_[0-9]+_[0-9]+[^/]*\.(ya?ml|json)$`)},
	{"snapshot", "a test recorded the file, or it is a log", lazyregexp.New(`(?i)(^|/)__snapshots?__/|\.log$`)}, // logs: openshift/cluster-logging-operator, liggitt/audit2rbac
}

// proposals are folders of design documents.
var proposals = lazyregexp.New(`(?i)(^|/)(proposals?|keps|enhancements|designs?|rfcs?|adrs?)/`)

// IsProposal says whether a file is a design document, which says the group of
// its API as it is called today and the version as it was.
func IsProposal(name string) bool { return proposals.MatchString(name) }

// testFolders have files that say nothing of what the repository is, as others of which the name begins with one:
// test-assets.
var testFolders = lazyregexp.New(`(^|/)(testdata|tests?|e2e|fixtures)([-_][^/]*)?/`)

// IsTestData says whether a file is a test or below a folder of test data.
func IsTestData(name string) bool {
	return strings.HasSuffix(name, "_test.go") || testFolders.MatchString(name)
}

// IsOfVersion says whether a file is about a version of an API, by a folder or, for code and
// documents, by a word of its name.
func IsOfVersion(name, version string, words bool) bool {
	dir, base := path.Split(name)
	segments := strings.Split(dir, "/")
	if words {
		segments = append(segments, strings.FieldsFunc(base, func(c rune) bool { return c == '.' || c == '_' || c == '-' })...)
	}
	return slices.Contains(segments, version)
}

// documents are the heuristics that are about documents: a manifest that is none of the
// documentation is in use, as of an application that is called blog.
var documents = []string{"change-log", "guide", "log-folder"}

// guideTitle is the title of a document about the way from one version of an API to another.
var guideTitle = lazyregexp.New(`(?i)\A(---\n(?s:.*?)\n---\s+)?# [^\n]*\b(migrat|upgrad)[^\n]* v[0-9]+((alpha|beta)[0-9]+)? to v[0-9]+((alpha|beta)[0-9]+)?\b`)

// titleIn is how far from its beginning the title of a document is looked for.
const titleIn = 4096

var documentation = lazyregexp.New(`(?i)(^|/)(docs?|documentation|website|content|versioned_docs|_posts)/`)

// Past is the row that keeps a whole file; nil for none. Manifest says whether its content is
// that of a manifest, off are the ids of heuristics that are switched off.
func Past(name string, data []byte, manifest func() bool, off map[string]bool) *Row {
	i := slices.IndexFunc(pasts, func(x past) bool {
		titled := x.id == "guide" && strings.HasPrefix(path.Ext(name), ".md") && guideTitle.Match(data[:min(len(data), titleIn)])
		return !off[x.id] && (titled || x.path.MatchString(name)) && (!slices.Contains(documents, x.id) || documentation.MatchString(name) || !manifest())
	})
	if i < 0 || pasts[i].id == "released-file" && bundled.MatchString(name) {
		return nil
	}
	base := strings.ToLower(path.Base(name))
	if strings.HasSuffix(base, ".go") && !releasedFile.MatchString(base) && !versionFolder.MatchString(path.Dir(name)+"/") {
		return nil // code that migrates
	}
	return &Row{ID: pasts[i].id, Role: "prose", Say: Keep, Why: pasts[i].why}
}

var (
	releasedFile = lazyregexp.New(`[-_.]v[0-9]+\.[0-9]`)
	// bundled is the CSV of a bundle, which older versions of operator-sdk name after its version.
	bundled       = lazyregexp.New(`(^|/)manifests/[^/]*\.clusterserviceversion\.ya?ml$`)
	versionFolder = lazyregexp.New(`(^|/)v?[0-9]+\.[0-9]+(\.[0-9x]+)?([-+][a-z0-9.]+)?/`)
)

// whenWords are texts of which a line that timeWords matches has one.
var whenWords = []string{"deprecat", "before", "older", "until", "prior to", "no longer", "removed", "formerly", "legacy", "the old", "->", "=>", "→"}

// saysWhen says whether a line is about what was at one time.
func saysWhen(line []byte) bool {
	low := bytes.ToLower(line)
	return slices.ContainsFunc(whenWords, func(w string) bool { return bytes.Contains(low, []byte(w)) }) && timeWords.Match(line)
}

// release is one of Kubernetes, which serves what it served: "k8s 1.19 only supports
// kubescheduler.config.k8s.io/v1beta1" of TopoLVM, "For Kubernetes v1.14+, use" of Jenkins' chart.
var release = lazyregexp.New(`(?i)\b(kubernetes|k8s)( versions?)?[ <>=~]+v?1\.[0-9]`)

// ofRelease says whether a line names a release of Kubernetes, and the group is one of its own.
func (c *Case) ofRelease() bool {
	return (!strings.Contains(c.Token.Group, ".") || strings.HasSuffix(c.Token.Group, ".k8s.io")) && release.Match(c.line())
}

// sentence is that of the group on its line.
func (p *place) sentence() []byte {
	line, at := p.lineAt()
	from := bytes.LastIndex(line[:at], []byte(". ")) + 1
	if end := bytes.Index(line[at:], []byte(". ")); end >= 0 {
		line = line[:at+end]
	}
	return line[from:]
}

// rest is the beginning of the next line, where the sentence of the group goes on there.
func (p *place) rest() []byte {
	line, at := p.lineAt()
	b := p.Leaf.View.B[p.Leaf.Start+p.Token.At.Start+len(line)-at:]
	if bytes.Contains(line[at:], []byte(". ")) || bytes.HasSuffix(bytes.TrimRight(line, " \t\r#*/-"), []byte(".")) || !bytes.HasPrefix(b, []byte("\n")) {
		return nil
	}
	next, _, _ := bytes.Cut(b[1:min(len(b), 200)], []byte("\n"))
	return next
}

// noLonger begins what a sentence says of an API that is gone.
var noLonger = lazyregexp.New(`(?i)^[\s#*/-]*(is |are |was |were |has been |have been )?(no longer|deprecated|removed)\b`)

// gone are words of a sentence of a document that says of a group that it is not served any
// more: "traefik.containo.us has been removed" of Traefik, its chart and its users.
var gone = lazyregexp.New(`(?i)\b(removes|removed|removal|drops|dropped|deprecated|no longer|formerly|legacy)\b`)

// saysGone says whether a sentence has one of these words. Most have no part of one, which is found faster.
func saysGone(sentence []byte) bool {
	low := bytes.ToLower(sentence)
	return slices.ContainsFunc([]string{"remov", "drop", "deprecated", "longer", "formerly", "legacy"}, func(part string) bool { return bytes.Contains(low, []byte(part)) }) && gone.Match(sentence)
}
