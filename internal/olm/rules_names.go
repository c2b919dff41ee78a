package olm

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/versions"
)

// known are the entries that a bundle's folder may have: those of the bundle
// format, and what catalogs and projects keep next to them.
var known = []string{"manifests", "metadata", "tests", "release-config.yaml", "bundle.Dockerfile", "Dockerfile", "ci.yaml", "README.md"}

func checkLayout(p *pass) {
	if len(p.manifests) == 0 && len(p.unreadable) == 0 {
		p.say("manifests", 0, "no manifest here")
	}
	if p.annotations == nil {
		p.say("metadata/annotations.yaml", 0, "no annotations").Hint = "cfctl release bundle makes it"
	}
	entries, err := fs.ReadDir(p.files, ".")
	if err != nil {
		return
	}
	for _, e := range entries {
		if !slices.Contains(known, e.Name()) && !strings.HasPrefix(e.Name(), ".") && !strings.HasSuffix(e.Name(), "Dockerfile") && e.Name() != "Containerfile" {
			p.say(e.Name(), 0, "no part of a bundle").Hint = nearest(e.Name(), known)
		}
	}
}

func checkForm(p *pass) {
	for _, f := range p.unreadable {
		p.Report(f, "%s", f.Message)
	}
	for _, m := range p.manifests {
		for _, keys := range [][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}} {
			if text(m.object, keys...) == "" {
				p.say(m.path, lineOf(m.node, keys), "no %s", strings.Join(keys, "."))
			}
		}
	}
}

func checkOneCSV(p *pass) {
	if p.csv == nil && len(p.manifests) > 0 {
		p.say("manifests", 0, "no ClusterServiceVersion")
	}
	for _, m := range p.manifests {
		if m != p.csv && m.kind() == "ClusterServiceVersion" {
			p.say(m.path, 0, "a second ClusterServiceVersion; the first is %s", p.csv.path)
		}
	}
}

// version is spec.version of the CSV, when it is a semantic version.
func (p *pass) version() string {
	v := text(p.csvObject(), "spec", "version")
	if !versions.IsVersion("v" + v) {
		return ""
	}
	return v
}

func checkName(p *pass) {
	v := p.version()
	if v == "" {
		return
	}
	name := p.csv.name()
	if !strings.HasSuffix(name, ".v"+v) && !strings.HasSuffix(name, "."+v) && !strings.HasSuffix(name, "-"+v) && !strings.HasSuffix(name, "-v"+v) {
		f := p.sayCSV([]string{"metadata", "name"}, "name %s does not end in the version %s", name, v)
		f.Expected, f.Actual = p.packageName()+".v"+v, name
		f.Hint = "metadata.name: " + f.Expected
	}
}

func checkVersion(p *pass) {
	if p.csv != nil && p.version() == "" {
		p.sayCSV([]string{"spec", "version"}, "spec.version %q is not a semantic version", text(p.csv.object, "spec", "version"))
	}
}

func checkMetadata(p *pass) {
	for _, keys := range [][]string{
		{"spec", "displayName"}, {"spec", "description"}, {"spec", "provider", "name"}, {"spec", "maintainers"}, {"spec", "icon"},
		{"metadata", "annotations", "categories"}, {"metadata", "annotations", "capabilities"},
	} {
		if isEmpty(at(p.csv.object, keys...)) {
			p.sayCSV(keys, "no %s", strings.Join(keys, "."))
		}
	}
}

// checkFolder looks at the last part of the folder's name, when that is a
// version at all.
func checkFolder(p *pass) {
	folder, v := path.Base(path.Clean(p.Dir)), p.version()
	bare := strings.TrimPrefix(folder, "v")
	if v == "" || p.Dir == "" || !semver.IsValid("v"+bare) || folder == v {
		return
	}
	f := p.sayCSV([]string{"spec", "version"}, "the folder is named %s, and the version is %s", folder, v)
	f.Expected, f.Actual = v, folder
}

func checkAnnotations(p *pass) {
	if p.annotations == nil {
		return // layout says so
	}
	for _, want := range []struct{ key, value string }{
		{"mediatype.v1", "registry+v1"}, {"manifests.v1", "manifests/"}, {"metadata.v1", "metadata/"}, {"package.v1", ""}, {"channels.v1", ""},
	} {
		got, ok := p.annotations[notePrefix+want.key]
		switch {
		case !ok || got == "":
			p.say(p.notesPath, 0, "no annotation %s%s", notePrefix, want.key)
		case want.value != "" && strings.TrimSuffix(got, "/") != strings.TrimSuffix(want.value, "/"):
			f := p.say(p.notesPath, 0, "annotation %s%s is %q, not %q", notePrefix, want.key, got, want.value)
			f.Expected, f.Actual = want.value, got
		}
	}
	if got, ok := p.annotations[notePrefix+"channel.default.v1"]; ok && got == "" {
		p.say(p.notesPath, 0, "annotation %schannel.default.v1 is empty", notePrefix).Hint = "name the channel, or leave the line out"
	}
	for c := range strings.SplitSeq(p.annotations[notePrefix+"channels.v1"], ",") {
		if c != "" && strings.ContainsAny(c, " \t") {
			p.say(p.notesPath, 0, "channel %q has a blank in it", c)
		}
	}
}

// channels are those that the bundle goes into.
func (p *pass) channels() []string { return splitChannels(p.annotations[notePrefix+"channels.v1"]) }

// splitChannels reads a list of channels with commas between them.
func splitChannels(list string) []string {
	var names []string
	for c := range strings.SplitSeq(list, ",") {
		if c = strings.TrimSpace(c); c != "" {
			names = append(names, c)
		}
	}
	return names
}

func checkReplacesOrder(p *pass) {
	replaces := text(p.csv.object, "spec", "replaces")
	if replaces != "" && !p.isLower(replaces) {
		f := p.sayCSV([]string{"spec", "replaces"}, "%s replaces %s, which is not lower", p.csv.name(), replaces)
		f.Actual = replaces
	}
}

// isLower says whether a CSV's name is of a lower version than the bundle's;
// of names without versions that they are different.
func (p *pass) isLower(name string) bool {
	before, v := versionOfName(name), p.version()
	if before == "" || v == "" {
		return name != p.csv.name()
	}
	return semver.Compare("v"+before, "v"+v) < 0
}

// versionOfName is the version at the end of a CSV's name: "1.2.0" of
// "codeflare-operator.v1.2.0"; empty when there is none.
func versionOfName(name string) string {
	_, rest, ok := strings.Cut(name, ".")
	rest = strings.TrimPrefix(rest, "v")
	if !ok || !versions.IsVersion("v"+rest) {
		return ""
	}
	return rest
}
