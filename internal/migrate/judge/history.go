package judge

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// What was said at one time stays as it was said: change logs, upgrade
// guides, dated posts, and the documents and manifests of versions that are
// released. Nothing in such a file changes; its sites are kept, with the
// reason.
//
// Words such as history, news, blog or migration say that of documents. In the
// path of a manifest they name what it deploys: history-server.yaml,
// db-migration/job.yaml.

// logNames are the stems of files that tell what changed.
var logNames = []string{"changelog", "changes", "history", "releasenotes", "release-notes", "release_notes", "news"}

// logFolders hold nothing but history; of those of frozenFolders that is true
// whatever kind a file is of.
var (
	logFolders    = []string{"changelog", "changelogs", "release-notes", "releasenotes", "release_notes", "versioned_docs", "blog", "blogs", "_posts"}
	frozenFolders = []string{"changelog", "changelogs", "versioned_docs", "_posts"}
)

// docFolders hold documents and what belongs to them.
var docFolders = []string{"docs", "doc", "documentation", "website", "site", "site-src", "content"}

// releaseFolders hold what was released; testFolders what code is tested with.
var (
	releaseFolders = []string{"release", "releases", "bundle", "bundles", "archive", "operators", "catalog"}
	testFolders    = []string{"testdata", "test", "tests", "fixtures", "golden", "__fixtures__"}
)

// manifestExts are those of files that are applied, or rendered and applied.
var manifestExts = []string{".yaml", ".yml", ".json", ".jsonc", ".json5"}

// guideWords mark documents that lead from one version to another: they name
// the old API on purpose.
var guideWords = []string{"upgrade", "upgrades", "upgrading", "migrate", "migrating", "migration", "migrations", "deprecation", "deprecations"}

var documentExts = []string{".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc", ".txt", ".html", ".htm", ".textile", ".org"}

var (
	// releaseFolder is a folder named after a released version: v1.2, 0.3.0, release-1.4, 2.x is not one.
	releaseFolder = lazyregexp.New(`^(v|release-|version-)?[0-9]+\.[0-9]+(\.[0-9]+)?(\.x|[-_](alpha|beta|rc|pre)[-.0-9]*)?$`)
	// fullRelease is the name of such a folder that cannot be anything else: all three numbers, or the word.
	fullRelease = lazyregexp.New(`^(release-|version-)|^v?[0-9]+\.[0-9]+\.[0-9]+`)
	releaseName = lazyregexp.New(`(^|[-_.v])[0-9]+\.[0-9]+\.[0-9]+`)
	datedPost   = lazyregexp.New(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[-_]`)
)

// A filePath is what the path of a file says, in lower case.
type filePath struct {
	name, base, stem, ext string
	folders               []string // from the top of the work tree
	document, manifest    bool     // else code
}

// pathOf reads a path.
func pathOf(name string) filePath {
	low := strings.ToLower(name)
	p := filePath{name: path.Base(name), base: path.Base(low), ext: path.Ext(low), folders: strings.Split(path.Dir(low), "/")}
	p.stem = strings.TrimSuffix(p.base, p.ext)
	p.document = slices.Contains(documentExts, p.ext)
	p.manifest = slices.Contains(manifestExts, p.ext) || slices.Contains(find.TemplateExts, p.ext)
	return p
}

// below says whether one of the folders above a file has a name of a list.
func (p filePath) below(list []string) bool {
	return slices.ContainsFunc(p.folders, func(d string) bool { return slices.Contains(list, d) })
}

// logOf says why a document that tells what changed stays. Such documents have
// names without an extension, too.
func logOf(_ *rules.Table, f *file) string {
	if f.document || f.ext == "" {
		for _, h := range logNames {
			if f.stem == h || strings.HasPrefix(f.stem, h+"-") || strings.HasPrefix(f.stem, h+"_") {
				return "history: " + f.name
			}
		}
	}
	return ""
}

// logFolderOf says why a file in a folder of history stays.
func logFolderOf(_ *rules.Table, f *file) string {
	for _, d := range f.folders {
		if slices.Contains(frozenFolders, d) || slices.Contains(logFolders, d) && (f.document || f.below(docFolders)) {
			return "history: a folder of " + d
		}
	}
	return ""
}

// guideOf says why a guide from one version to another stays, or a dated post.
func guideOf(t *rules.Table, f *file) string {
	switch {
	case f.document && (isGuide(f.stem) || f.inGuides() && isGuide("guide upgrade "+f.stem) || datedPost.MatchString(f.base)):
		return "history: " + f.name
	case f.document && (hasGuideWord(f.stem) || f.inGuides()) && namesTarget(t, f.Data):
		return "a guide from the old names to the new"
	}
	return ""
}

// inGuides says whether a file is in a folder of such guides: upgrading/0.5-0.6.md.
func (p filePath) inGuides() bool { return isGuide(p.folders[len(p.folders)-1]) }

// overOf says why code that leads from one version to the other stays.
func overOf(_ *rules.Table, f *file) string {
	if !f.document && leadsOver(f.filePath) && (!f.manifest || f.below(testFolders) || f.below(docFolders)) {
		return "code that leads from the old names to the new"
	}
	return ""
}

// recordedIn says why a snapshot stays.
func recordedIn(_ *rules.Table, f *file) string {
	if f.ext == ".snap" || f.ext == ".ambr" || f.below([]string{"__snapshot__", "__snapshots__"}) {
		return recorded
	}
	return ""
}

// releasedIn says why a file of a released version stays. A folder such as v1.0
// of manifests may as well be that of what is deployed now: there more must
// speak for a release than two numbers.
func releasedIn(_ *rules.Table, f *file) string {
	for _, d := range f.folders {
		if releaseFolder.MatchString(d) && (f.document || fullRelease.MatchString(d) || f.below(docFolders) || f.below(releaseFolders)) {
			return "history: a folder of version " + d
		}
	}
	return ""
}

// releasedAs says why a file that is named after a release stays.
func releasedAs(_ *rules.Table, f *file) string {
	if f.below([]string{"releases", "archive"}) && releaseName.MatchString(f.base) || runsReleased(f) {
		return "history: a released version"
	}
	return ""
}

// runsReleased says whether a manifest is named after the version whose images it
// runs: as it was published, for a test of an upgrade from it.
func runsReleased(f *file) bool {
	m := releaseManifest.FindStringSubmatch(f.base)
	if m == nil {
		return false
	}
	for rest := f.Data; ; {
		at := bytes.Index(rest, []byte(m[1]))
		if at < 0 {
			return false
		}
		before := bytes.TrimSuffix(rest[:at], []byte("v"))
		rest = rest[at+len(m[1]):]
		if bytes.HasSuffix(before, []byte(":")) && imageLine.Match(before[text.LineStart(before, len(before)):]) && (len(rest) == 0 || !text.IsWordByte(rest[0]) && rest[0] != '.') {
			return true
		}
	}
}

var (
	// releaseManifest is the name of a manifest with (1) the version that it is named after.
	releaseManifest = lazyregexp.New(`[-_.]v?([0-9]+\.[0-9]+\.[0-9]+)\.(ya?ml|json)$`)
	imageLine       = lazyregexp.New(`(?i)image["']?:\s`)
)

// recorded is why the snapshots of a test stay: it compares with them, and
// records them again when it is told to.
const recorded = "a snapshot that a test recorded; record it again"

// proposalFolders hold the designs of a project, each of them of one time.
var proposalFolders = []string{"kep", "keps", "geps", "enhancements", "proposals", "proposal", "adr", "adrs", "rfc", "rfcs", "design", "designs", "design-docs"}

// isProposal says whether a file is a document of a folder of proposals.
func isProposal(name string) bool {
	low := strings.ToLower(name)
	return slices.Contains(documentExts, path.Ext(low)) && slices.ContainsFunc(strings.Split(path.Dir(low), "/"), func(d string) bool {
		return slices.Contains(proposalFolders, d)
	})
}

// InProposal says whether the file is a document of a folder of proposals, as
// far as that is guessed.
func (f *Facts) InProposal() bool { return !f.off["proposal"] && isProposal(f.Path) }

// overWords are the words for code that leads from one version to another.
var overWords = []string{"conversion", "conversions", "converter", "converters", "migration", "migrations", "migrator", "migrators"}

// leadsOver says whether a file or a folder above it is named after such code:
// it and what it is tested with name the old API on purpose.
func leadsOver(p filePath) bool {
	return slices.ContainsFunc(append(words(p.stem), words(strings.Join(p.folders, " "))...), func(w string) bool { return slices.Contains(overWords, w) })
}

// words cuts a name at everything but letters and digits.
func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r < '0' || r > '9' && r < 'a' || r > 'z' })
}

func hasGuideWord(name string) bool {
	return slices.ContainsFunc(words(name), func(w string) bool { return slices.Contains(guideWords, w) })
}

var guideFiller = lazyregexp.New(`^(v?[0-9].*|x|alpha|beta|ga|rc|from|to|guide|guides|notes|api|apis|crd|crds|and|of|the)$`)

// isGuide says whether a name is that of a guide from one version to another,
// and of nothing else: upgrading-0.5-0.6, MIGRATION, upgrade-to-beta.
func isGuide(name string) bool {
	return hasGuideWord(name) && !slices.ContainsFunc(words(name), func(w string) bool {
		return !slices.Contains(guideWords, w) && !guideFiller.MatchString(w)
	})
}

// namesTarget says whether a text holds a group that something moves to.
func namesTarget(t *rules.Table, data []byte) bool {
	for _, group := range t.Groups() {
		for _, rule := range t.RulesOf(group) {
			if to := rule.To.Group; to != "" && to != group && strings.Contains(to, ".") && bytes.Contains(data, []byte(to)) {
				return true
			}
		}
	}
	return false
}

// generatedBy says why a document stays that a program wrote, and that nobody
// edits. A reference of groups that only change their names is edited as its
// generator would.
func generatedBy(t *rules.Table, f *file) string {
	if program := find.ReferenceBy(f.Data); program != "" {
		if !slices.ContainsFunc(t.Groups(), func(g string) bool { return !t.OnlyRenames(g) && ContainsName(f.Data, g) }) {
			return ""
		}
		return writtenBy(program)
	}
	head := f.Data[:min(len(f.Data), 4096)]
	i := bytes.Index(head, []byte(`name="generator" content="`))
	if i < 0 || !f.Format.Is(find.Pages) {
		return ""
	}
	rest := head[i+len(`name="generator" content="`):]
	n := bytes.IndexByte(rest, '"')
	if n < 0 {
		return writtenBy("a generator")
	}
	return writtenBy(string(rest[:n]))
}

func writtenBy(program string) string { return "written by " + program + "; generate it again" }
