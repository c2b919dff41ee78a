package judge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/rules/rulestest"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

const testRules = rulestest.Kinds + `  - {id: both, from: {group: both.example.com, version: v1beta1, kind: Plum, plural: plums}, to: {group: plums.example.org, version: v1}}
  - {id: apart, from: {group: parts.example.com}, to: {group: new.example.org}}
  - {id: apart-kind, from: {group: parts.example.com, kind: Job, plural: jobs}, to: {group: new.example.org, kind: Task, plural: tasks}}
  - {id: apart-group, from: {group: parts.example.com, kind: Run, plural: runs}, to: {group: runs.example.org}}
  - {id: grown, from: {group: grown.example.com}, to: {group: new.example.org}}
  - {id: grown-step, from: {group: grown.example.com, version: v1beta1}, to: {group: new.example.org, version: v2}}
  - {id: grown-plain, from: {group: grown.example.com, version: v2}, to: {group: new.example.org}}
  - {id: grown-apart, from: {group: grown.example.com, version: v4}, to: {group: apart.example.org}}
  - {id: named, from: {group: named.example.com, version: v1, kind: Elm, plural: elms}, to: {version: v1, kind: Oak, plural: oaks}}
keys:
  - {from: old.example.com/, to: new.example.org/}
  - {from: apple.old.example.com, to: apple.new.example.org}
  - {from: same.example.com/mark, to: same.example.com/sign}
keep:
  - {value: kept.old.example.com, why: it stays}
  - {value: bare.old.example.com}
  - {path: "kept/**", why: on purpose}
  - {path: "*.orig"}
`

// said is what is decided of a site, in short.
func said(d Decided) string {
	said := string(d.Site.Word.Of(d.Site.Doc.Data)) + ": " + [...]string{"none", "stay", "move", "key", "wait", "person"}[d.Verdict]
	switch {
	case d.Verdict == Move || d.Verdict == Wait:
		said += " " + strings.TrimPrefix(d.Answer.To.String(), "/")
	case d.Verdict == MoveKey:
		said += " " + d.Key.To
	case d.Guard != "":
		said += " " + d.Guard
	}
	return said
}

// A setting is what a text is judged under.
type setting struct {
	dual bool
	off  string
}

// decide is what is decided of the names of a text, but for those about which
// more is asked than what becomes of a name.
func decide(table *rules.Table, names *find.Names, path, in string, s setting) []string {
	facts := FactsOf(table, map[string]bool{s.off: true}, s.dual, path, []byte(in), find.FormatOf(path, []byte(in)))
	var list []string
	for d := range Decisions(names, table, facts, path) {
		if d.Site != nil && slices.Contains([]find.Ask{find.Nothing, find.Rules, find.Tree, find.Hand}, d.Site.Place.Ask) {
			list = append(list, said(d))
		}
	}
	return list
}

func TestDecide(t *testing.T) {
	table := rulestest.Table(t, testRules)
	names := NamesOf(table, nil)
	for _, x := range slices.Concat(moved, ofKeys, guarded) {
		in := strings.TrimPrefix(x.in, "\n")
		if got, want := strings.Join(decide(table, names, x.path, in, x.setting), "\n"), strings.Trim(x.want, "\n"); got != want {
			t.Errorf("%s %+v: got\n%s\nwant\n%s\nof\n%s", x.path, x.setting, got, want, in)
		}
	}
}

// Files that stay, by the guard that says so; "" for those that do not.
var staying = []struct{ guard, why, data, paths string }{
	{"change-log", "", "", "CHANGELOG.md CHANGELOG a/changes.txt HISTORY.rst docs/News.md changelog-v1.md changelog_old.md release-notes.adoc"},
	{"", "", "", "news.yaml changes.go newsletter.md history.json renews.md pkg/history.go changelog.yaml"},
	{"", "", "#!/bin/sh\n", "bin/changes bin/history"},
	{"log-folder", "", "", "changelogs/a.yaml changelog/x.go versioned_docs/b.json _posts/a.html docs/blog/a.yaml website/blogs/a.json blog/a.md a/release-notes/b.txt"},
	{"", "", "", "deploy/blog/a.yaml blogs/a.go release-notes/a.yaml"},
	{"guide", "", "", "upgrading-0.5-0.6.md MIGRATION.md docs/upgrading/0.5-0.6.md upgrade-to-beta.txt 2024-01-02-post.md a/2024-01-02_post.html"},
	{"", "", "", "upgrading-things.md docs/upgrading/intro.md upgrade.yaml 2024-01-02-post.yaml 2024-1-2-post.md downgrade.md"},
	{"guide", "a guide from the old names to the new", "see new.example.org", "upgrading-things.md docs/upgrading/intro.md"},
	{"", "", "see new.example.org", "things.md upgrading-things.yaml docs/upgrading/more/intro.md"},
	{"", "", "see same.example.com", "upgrading-things.md"},
	{"conversion-code", "", "", "pkg/conversion/a.go conversion.go a/my_converter.py db-migration/run.sh testdata/conversion/a.yaml docs/conversions.json tests/migrator.yaml"},
	{"", "", "", "pkg/convert/a.go k8s/converter/a.yaml db-migration/job.yaml templates/converter.tpl conversion.md src/conversion.txt"},
	{"snapshot", "", "", "a.snap b/a.ambr __snapshot__/a.yaml src/__snapshots__/a.ts"},
	{"", "", "", "snap.yaml snapshots/a.yaml"},
	{"released-folder", "", "", "v1.2.3/a.yaml 0.3.0/a.go release-1.4/a.yaml version-2.0/a.json v1.0/a.md docs/v1.0/a.yaml bundle/1.0/a.yaml v1.2.3-rc1/a.yaml catalog/v2.0.x/a.yaml v1.2.3_beta.1/a.yaml release/1.0/a.yaml releases/1.0/a.yaml bundles/1.0/a.json archive/v1.0/a.yaml operators/x/1.0/a.yaml"},
	{"", "", "", "v1.0/web.yaml 2.x/a.md v1/a.md k8s/1.28/a.yaml v1.2.3.yaml release-next/a.md"},
	{"released-file", "", "", "releases/app-1.2.3.yaml archive/x_v1.2.3.json a/releases/1.2.3.txt"},
	{"released-file", "", "a:\n  image: \"x.io/a/b:v1.2.3\"\n", "test/app-1.2.3.yaml app_v1.2.3.json"},
	{"released-file", "", "image: b:1.2.30\nimage: b:1.2.3", "app-v1.2.3.yml"},
	{"", "", "image: b:1.2.30\n# see b:1.2.3\nimage: b:1.2.3.4\nimage: b-1.2.3\n", "test/app-1.2.3.yaml"},
	{"", "", "image: b:1.2.3\n", "app.yaml app-1.2.3.md app-1.2.yaml app1.2.3.yaml"},
	{"", "", "", "releases/app.yaml src/app-1.2.3.yaml releases/app-1.2.yaml release/app-1.2.3.yaml"},
	{"generated-document", "written by gen-crd-api-reference-docs; generate it again", "same.example.com/v1beta1 " + string(find.ReferenceMark), "api.md docs/api.html"},
	{"", "", "old.example.com/v1beta1 " + string(find.ReferenceMark), "api.md"},
	{"", "", "xsame.example.com/v1beta1 " + string(find.ReferenceMark), "api.md"},
	{"", "", "same.example.com/v1beta1 " + string(find.ReferenceMark), "api.yaml api.go"},
	{"generated-document", "written by Hugo 0.1; generate it again", `<meta name="generator" content="Hugo 0.1">`, "a.html a.txt"},
	{"generated-document", "written by a generator; generate it again", `<meta name="generator" content="Hugo`, "a.html"},
	{"", "", `<meta name="generator" content="Hugo 0.1">`, "a.md a.yaml"},
	{"", "", strings.Repeat(" ", 5000) + `<meta name="generator" content="Hugo 0.1">`, "a.html"},
	{"ruleset", "the ruleset itself", testRules, "rules.yaml a/test.yml"},
	{"", "", testRules + "# more\n", "rules.yaml"},
	{"kept-path", "on purpose", "", "kept/a.yaml kept/b/c.go"},
	{"kept-path", "kept by the ruleset", "", "a.orig b/c.orig"},
	{"", "", "", "unkept/a.yaml a/kept/b.yaml a.origin"},
}

// The words of names that say how a file, a folder or an identifier is meant.
func TestWordsOfNames(t *testing.T) {
	for what, x := range map[string]struct {
		is      func(string) bool
		yes, no string
	}{
		"guide": {isGuide, "upgrade upgrades upgrading migrate migrating migration migrations deprecation deprecations upgrade-v2 upgrade-1.2 upgrade-to-x upgrade-alpha upgrade-beta upgrade-ga " +
			"upgrade-rc migrating-from-v1 migrate-to-v2 upgrade-guide upgrade-guides migration-notes upgrade-api upgrade-apis upgrade-crd upgrade-crds upgrade-and-migration migration-of-the-api",
			"guide notes upgrade-things upgrader upgrade-xs upgrade-guided upgrade-anapi upgrade-betas"},
		"code that leads over": {func(name string) bool { return leadsOver(pathOf(name)) },
			"conversion/a.go conversions/a.go converter/a.go converters/a.go migration/a.go migrations/a.go migrator/a.go migrators/a.go my_converter.go", "convert/a.go migrate/a.go converted.go"},
		"proposal": {isProposal, "kep/a.md keps/a.md geps/a.md enhancements/1/a.md proposals/a.md proposal/a.md adr/a.md adrs/a.md rfc/a.md rfcs/a.md design/a.md designs/a.md design-docs/a.md ADR/A.MD",
			"enhancement/a.md adr/a.yaml adr.md keps2/a.md"},
		"document":     {func(name string) bool { return pathOf(name).document }, "a.md a.markdown a.mdx a.rst a.adoc a.asciidoc a.txt a.html a.htm a.textile a.org A.MD", "a.yaml a.go md a"},
		"release":      {releaseFolder.MatchString, "v1.2 1.2 release-1.4 version-2.0 v1.2.3 v1.2.x v1.2-alpha v1.2.3-beta.1 v1.2_rc1 v1.2-pre", "v1 1 xv1.2 v1.2- v1.2-x v1.2.3.4 release v1.2-gamma"},
		"full release": {fullRelease.MatchString, "release-1.4 version-2.0 v1.2.3 1.2.3-rc1", "v1.2 1.2 x1.2.3 a-release-1 my-version-2"},
		"post":         {datedPost.MatchString, "2024-01-02-a 2024-01-02_a", "2024-1-02-a 12024-01-02-a 2024-01-02.md x2024-01-02-a"},
		"name of the past": {pastName.MatchString, "old Old oldGroup legacy Legacy_x deprecated Deprecated previous Previous former FormerGroup OLD LEGACY DEPRECATED PREVIOUS FORMER OLD_GROUP x_old x_legacyGroup " +
			"groupOld groupLegacy groupDeprecated groupPrevious groupFormer groupOldName group1Old", "older Bold gold holder golden groupOlder threshold OLDEN Formerly xold previously legacyx"},
		"version of its time": {func(line string) bool {
			return says(whenWords, dottedVersions, []byte(strings.ReplaceAll(line, "+", " ")))
		},
			"deprecated removed no+longer formerly renamed replaced+by in+favor+of in+favour+of migrate migrates migrated migrating legacy → before+1.9 prior+to+1.9 older+than+v1.9 until+1.9 up+to+1.9 below+1.9 kubernetes+1.9 " +
				"k8s+1.9 version+1.9 versions+1.9 before+Kubernetes+1.9 before+version+<1.9 1.9+and+older 1.9.x+or+1.9+and+later", "before+9 1.9 legacy/v1 removing apps/v1 .Values.legacy $legacy"},
		"page of one version":   {pinned.MatchString, "/blob/ /tree/main/ /raw/x /v1.2/ /release-1.2/ /version-1.2.3/ /1.10-rc/", "/blobs /latest/ /v1/ /1/ /v1.2 /xv1.2/"},
		"file of one version":   {pinnedFile.MatchString, "/v1.2/ /release-1.2.0/ /1.10-rc/ /f196d66b/ /0123456789012345678901234567890123456789/", "/main/ /release/ /v1/ /v1.2 /f196d6/ /f196d66bx/ /$VERSION/"},
		"manifest of a release": {func(name string) bool { return releaseManifest.MatchString(name) }, "a-1.2.3.yaml a_v1.2.3.yml a.1.2.3.json", "a1.2.3.yaml a-1.2.yaml a-1.2.3.yaml.tpl a-1.2.3.md a-1.2.3yaml"},
	} {
		for want, list := range map[bool]string{true: x.yes, false: x.no} {
			for name := range strings.FieldsSeq(list) {
				if x.is(name) != want {
					t.Errorf("%s is a %s: %v", name, what, !want)
				}
			}
		}
	}
}

func TestStays(t *testing.T) {
	table := rulestest.Table(t, testRules)
	for _, x := range staying {
		for _, name := range strings.Fields(x.paths) {
			format := find.FormatOf(name, []byte(x.data))
			why, guard := Stays(table, nil, name, []byte(x.data), format)
			if guard != x.guard || (why == "") != (guard == "") || x.why != "" && why != x.why {
				t.Errorf("%s: guard %q, because %q; want %q", name, guard, why, x.guard)
			}
			if _, guard := Stays(table, map[string]bool{x.guard: true}, name, []byte(x.data), format); x.guard != "" && guard == x.guard {
				t.Errorf("%s: %s, switched off, still keeps it", name, guard)
			}
			if g := slices.IndexFunc(Guards, func(g Guard) bool { return g.ID == x.guard }); g >= 0 && !slices.Contains(Guards[g].Formats(), format.Name) {
				t.Errorf("%s: %s does not speak for %s", name, x.guard, format.Name)
			}
		}
	}
	for _, g := range Guards {
		if len(strings.Fields(g.Doc)) < 3 {
			t.Errorf("%s: no reason: %q", g.ID, g.Doc)
		}
		if g.file != nil && !slices.ContainsFunc(staying, func(x struct{ guard, why, data, paths string }) bool { return x.guard == g.ID }) {
			t.Errorf("%s keeps no file of the table", g.ID)
		}
	}
}

// A choice is a chain that asks what the cluster serves and has another branch.
func TestChoices(t *testing.T) {
	table := rulestest.Table(t, "name: none\nrules: [{id: a, from: {group: old.example.com}, to: {group: new.example.com}}]\n")
	const asks = "{{- if .Capabilities.APIVersions.Has \"x/v1\" }}"
	for _, x := range []struct{ in, want string }{
		{asks + "a{{ else }}b{{ end }}c", asks + "a{{ else }}b{{ end }}"},
		{"z" + asks + "a{{- else -}}b{{- end -}}c", asks + "a{{- else -}}b{{- end -}}"},
		{asks + "a{{ end }}", ""},
		{"{{ if .x }}a{{ else }}b{{ end }}", ""},
		{"{{ if .x }}a{{ else if .Capabilities.KubeVersion }}b{{ end }}", "{{ if .x }}a{{ else if .Capabilities.KubeVersion }}b{{ end }}"},
		{"{{ if semverCompare \">=1\" .kubeVersion }}a{{ else }}b{{ end }}", "{{ if semverCompare \">=1\" .kubeVersion }}a{{ else }}b{{ end }}"},
		{"{{ if .x }}" + asks + "a{{ else }}b{{ end }}{{ end }}", asks + "a{{ else }}b{{ end }}"},
		{"{{ with .Capabilities }}a{{ else }}b{{ end }}", ""},
		{"{{ range .x }}{{ end }}{{ end }}" + asks + "{{ else }}{{ end }}", asks + "{{ else }}{{ end }}"},
		{"{{ else }}" + asks + "{{/* else */}}{{ end }}", ""},
		{".Capabilities if else end", ""},
		{asks + "a{{ else }}b", ""},
	} {
		got := ""
		for _, s := range ChartOf(table, nil, []byte(x.in)).Choices {
			got += string(s.Of([]byte(x.in)))
		}
		if got != x.want {
			t.Errorf("%s: got %q", x.in, got)
		}
		if len(ChartOf(table, map[string]bool{"template-choice": true}, []byte(x.in)).Choices) > 0 {
			t.Errorf("%s: a choice that is not guessed", x.in)
		}
	}
}

// A name stands in a text as a whole.
func TestContainsName(t *testing.T) {
	for in, want := range map[string]bool{
		"a.example.com": true, "x a.example.com/v1": true, "(a.example.com)": true, "a.example.com.": true,
		"": false, "b.a.example.com": false, "xa.example.com": false, "a.example.community": false, "a.example.com-x": false, "x-a.example.com": false,
		"xa.example.com a.example.com": true, "a.example.comx, a.example.com": true,
	} {
		if ContainsName([]byte(in), "a.example.com") != want {
			t.Errorf("%q: not %v", in, want)
		}
	}
}

// Only guesses are switched off, by names that there are.
func TestOff(t *testing.T) {
	set := &rules.Ruleset{Guess: rules.Guess{Off: []string{"guide"}}}
	if off, err := Off([]string{"snapshot"}, []*rules.Ruleset{set}); err != nil || fmt.Sprint(off) != "map[guide:true snapshot:true]" {
		t.Errorf("%v, %v", off, err)
	}
	for name, hint := range map[string]string{"snapshots": `did you mean "snapshot"?`, "kept-path": "", "zzzzzzzzzzz": ""} {
		_, err := Off([]string{name}, nil)
		var e *source.Error
		if !errors.As(err, &e) || e.Error() != `guess: no guess is named "`+name+`"` || e.Hint != hint {
			t.Errorf("%s: %v, hint %q", name, err, e.Hint)
		}
	}
}

func TestMatchPath(t *testing.T) {
	for _, x := range []struct {
		glob, name string
		want       bool
	}{
		{"*.yaml", "a/b/c.yaml", true}, {"*.yaml", "a.yml", false}, {"/*.yaml", "c.yaml", true}, {"/*.yaml", "a/c.yaml", false},
		{"a/*", "a/b", true}, {"a/*", "a/b/c", true}, {"a/*.md", "a/b/c.md", false}, {"a/**", "a/b/c", true}, {"a/**", "a", false}, {"**/c", "c", true}, {"**/c", "a/b/c", true},
		{"a/**/c", "a/c", true}, {"a/**/c", "a/b/d", false}, {"a/b?", "a/bc", true}, {"a/b", "a/b/c", true}, {"a/", "b/a/c", true}, {"a/", "b/a", false}, {`/a\[1].md`, "a[1].md", true}, {"a/b/c", "a/b", false}, {"a/[", "a/b", false},
	} {
		if MatchPath(x.glob, x.name) != x.want {
			t.Errorf("%s, %s: not %v", x.glob, x.name, x.want)
		}
	}
}

// Whoever listens to decisions no more hears no more of them.
func TestDecisionsEnd(t *testing.T) {
	table := rulestest.Table(t, testRules)
	text := []byte("apiVersion: old.example.com/v1\n---\napiVersion: old.example.com/v1\n")
	n := 0
	for d := range Decisions(NamesOf(table, nil), table, FactsOf(table, nil, false, "a.yaml", text, find.FormatOf("a.yaml", text)), "a.yaml") {
		if n++; d.Site != nil {
			break
		}
	}
	if n == 0 {
		t.Error("nothing was said")
	}
}

// A name that a configuration of the tree has as that of a webhook is one in code and
// scripts as well, not in objects and documents.
func TestNamesOfWebhooks(t *testing.T) {
	table := rulestest.Table(t, testRules)
	const names = "apples.old.example.com kept.old.example.com"
	for _, x := range []struct {
		path, name string
		is, want   *find.Place
		tells, of  string
	}{
		{"a.go", "apples.old.example.com", find.KeyLike, find.WebhookName, "", "apples"},
		{"a.go", "apples.old.example.com", find.WebhookName, find.WebhookName, "", "apples"},
		{"a.go", "apples.old.example.com", find.WebhookName, find.WebhookName, "pears", "pears"},
		{"a.go", "apples.old.example.com", find.Resources, find.Resources, "", ""},
		{"a.go", "kept.old.example.com", find.KeyLike, find.KeptWebhook, "", ""},
		{"a.go", "kept.old.example.com", find.Resources, find.Resources, "", ""},
		{"a.go", "old.example.com", find.KeyLike, find.KeyLike, "", ""},
		{"a.yaml", "apples.old.example.com", find.KeyLike, find.KeyLike, "", ""},
		{"a.yaml", "apples.old.example.com", find.WebhookName, find.WebhookName, "", "apples"},
		{"a.md", "apples.old.example.com", find.KeyLike, find.KeyLike, "", ""},
	} {
		f := FactsOf(table, nil, false, x.path, []byte(names), find.FormatOf(x.path, []byte(names)))
		f.Webhooks = map[string]Webhook{"apples.old.example.com": {Resource: "apples"}, "kept.old.example.com": {Stays: true}}
		at := strings.Index(names, x.name)
		s := &find.Site{Doc: text.Whole([]byte(names)), Place: x.is}
		s.Word = source.Span{Start: at, End: at + len(x.name)}
		s.Facts.Plural = x.tells
		if f.asWebhook(s); s.Place != x.want || s.Facts.Plural != x.of {
			t.Errorf("%s: %s, a %s: %s of %q", x.path, x.name, x.is.ID, s.Place.ID, s.Facts.Plural)
		}
	}
}
