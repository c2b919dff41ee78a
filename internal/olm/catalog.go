package olm

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// A catalog is what a catalog repository says of one package.
// Layout: operators/PACKAGE/VERSION/, operators/PACKAGE/ci.yaml,
// operators/PACKAGE/catalog-templates/*.yaml for file-based catalogs.
// Source: https://redhat-openshift-ecosystem.github.io/operator-pipelines/users/
type catalog struct {
	dir       string // of the package in the tree given
	bundles   []published
	templates []string // file names in catalog-templates
	fileBased bool     // ci.yaml says fbc.enabled
	semver    bool     // ci.yaml says updateGraph: semver-mode
}

// A published bundle is one that a catalog has.
type published struct {
	folder   string // "1.2.0"
	name     string // of its CSV
	version  string // of its CSV
	pkg      string // of its annotations; empty = not said
	replaces string
	skips    []string
	channels []string
}

// readCatalog finds the package in a tree that is the package's folder, the
// folder of all packages, or the root of the catalog's repository.
func readCatalog(tree fs.FS, name string) (*catalog, error) {
	if name == "" {
		return nil, errors.New("the bundle names no package: the catalog cannot be looked at")
	}
	dir := "."
	switch {
	case isDir(tree, "operators"):
		dir = path.Join("operators", name)
	case !hasBundles(tree, "."):
		dir = name
	}
	c := &catalog{dir: dir}
	if !isDir(tree, dir) {
		return c, nil // a new package
	}
	if err := c.readConfig(tree); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(tree, dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		b, ok, err := readPublished(tree, path.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if ok {
			c.bundles = append(c.bundles, b)
		}
	}
	return c, nil
}

func isDir(tree fs.FS, name string) bool {
	info, err := fs.Stat(tree, name)
	return err == nil && info.IsDir()
}

func hasBundles(tree fs.FS, dir string) bool {
	found, err := fs.Glob(tree, path.Join(dir, "*", "manifests"))
	return err == nil && len(found) > 0
}

// readConfig reads ci.yaml and the names of the templates; neither has to be there.
func (c *catalog) readConfig(tree fs.FS) error {
	templates, err := fs.Glob(tree, path.Join(c.dir, "catalog-templates", "*"))
	if err != nil {
		return err
	}
	for _, t := range templates {
		c.templates = append(c.templates, path.Base(t))
	}
	file := path.Join(c.dir, "ci.yaml")
	data, err := fs.ReadFile(tree, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var doc struct {
		UpdateGraph string `json:"updateGraph"`
		FBC         struct {
			Enabled bool `json:"enabled"`
		} `json:"fbc"`
	}
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return &source.Error{Path: file, Err: plain(err)}
	}
	c.semver, c.fileBased = doc.UpdateGraph == "semver-mode", doc.FBC.Enabled
	return nil
}

// readPublished reads as much of a bundle as the graph of updates needs.
func readPublished(tree fs.FS, dir string) (published, bool, error) {
	b := published{folder: path.Base(dir)}
	files, err := fs.Glob(tree, path.Join(dir, "manifests", "*.y*ml"))
	if err != nil {
		return b, false, err
	}
	for _, file := range files {
		data, err := fs.ReadFile(tree, file)
		if err != nil {
			return b, false, err
		}
		if !strings.Contains(string(data), "ClusterServiceVersion") {
			continue
		}
		var csv struct {
			typeMeta `json:",inline"`
			Spec     struct {
				Version  string   `json:"version"`
				Replaces string   `json:"replaces"`
				Skips    []string `json:"skips"`
			} `json:"spec"`
		}
		if err := yaml.Unmarshal(data, &csv); err != nil {
			return b, false, &source.Error{Path: file, Err: plain(err)}
		}
		if csv.Kind == "ClusterServiceVersion" {
			b.name, b.version, b.replaces, b.skips = csv.Metadata.Name, csv.Spec.Version, csv.Spec.Replaces, csv.Spec.Skips
		}
	}
	data, err := fs.ReadFile(tree, path.Join(dir, "metadata", "annotations.yaml"))
	if err == nil {
		var doc struct {
			Annotations map[string]string `json:"annotations"`
		}
		if yaml.Unmarshal(data, &doc) == nil {
			b.channels = (&pass{annotations: doc.Annotations}).channels()
			b.pkg = doc.Annotations[packageNote]
		}
	}
	return b, b.name != "", nil
}

// others are the bundles of the catalog that are not the one being checked.
func (p *pass) others() []published {
	return slices.DeleteFunc(slices.Clone(p.catalog.bundles), func(b published) bool {
		return b.folder == path.Base(path.Clean(p.Dir)) && p.csv != nil && b.name == p.csv.name()
	})
}

// before leaves those that are lower than the version being checked: a bundle
// that is in the catalog already is judged by what was there when it came.
func (p *pass) before() []published {
	v := p.version()
	return slices.DeleteFunc(p.others(), func(b published) bool {
		other := versionOfName(b.name)
		return other != "" && v != "" && semver.Compare("v"+other, "v"+v) >= 0
	})
}

func checkPackage(p *pass) {
	if p.catalog == nil {
		return
	}
	folder := p.packageFolder()
	for _, b := range p.others() {
		if p.catalog.dir == "." && b.pkg != "" { // else the folder was found by the package's name
			folder = b.pkg
			break
		}
	}
	if own := p.packageName(); folder != "" && own != folder {
		f := p.say(p.notesPath, 0, "package %s in a folder of %s", own, folder)
		f.Expected, f.Actual = folder, own
	}
}

// packageFolder is PACKAGE of a bundle in operators/PACKAGE/VERSION; empty
// when it lies elsewhere.
func (p *pass) packageFolder() string {
	folder := path.Dir(path.Clean(p.Dir))
	if path.Base(path.Dir(folder)) != "operators" {
		return ""
	}
	return path.Base(folder)
}

func checkTaken(p *pass) {
	if p.catalog == nil || p.csv == nil {
		return
	}
	for _, b := range p.others() {
		switch v := text(p.csv.object, "spec", "version"); {
		case b.name == p.csv.name():
			p.sayCSV([]string{"metadata", "name"}, "%s is in the catalog already, as %s", b.name, path.Join(p.catalog.dir, b.folder))
		case v != "" && b.version == v:
			p.sayCSV([]string{"spec", "version"}, "version %s is in the catalog already, as %s", v, path.Join(p.catalog.dir, b.folder))
		}
	}
}

func checkReplacesChain(p *pass) {
	if p.catalog == nil || p.csv == nil || p.catalog.semver || p.catalog.fileBased {
		return // the graph comes from the versions, or from the catalog's templates
	}
	replaces, head := text(p.csv.object, "spec", "replaces"), p.head()
	switch {
	case replaces == "":
		skips := text(p.csv.object, "metadata", "annotations", "olm.skipRange") != "" || len(list(p.csv.object, "spec", "skips")) > 0
		if head != "" && !skips {
			f := p.sayCSV([]string{"spec"}, "replaces nothing, and the channel has %s: nobody would be updated", head)
			f.Expected, f.Hint = head, "replaces: "+head
			return
		}
	case !p.isLower(replaces):
		return // replaces-order says so
	case !slices.ContainsFunc(p.others(), func(b published) bool { return b.name == replaces }):
		f := p.sayCSV([]string{"spec", "replaces"}, "replaces %s, which is not in the catalog", replaces)
		f.Expected, f.Actual = head, replaces
		if head != "" {
			f.Hint = "replaces: " + head
		}
		return
	}
	checkGraph(p)
}

// head is the bundle of the bundle's channels that nothing lower than it
// replaces or skips: the highest, when there are several.
func (p *pass) head() string {
	best := ""
	bundles := p.before()
	for _, b := range bundles {
		if !shareChannel(b.channels, p.channels()) {
			continue
		}
		gone := slices.ContainsFunc(bundles, func(o published) bool {
			return o.replaces == b.name || slices.Contains(o.skips, b.name)
		})
		if !gone && (best == "" || semver.Compare("v"+versionOfName(b.name), "v"+versionOfName(best)) > 0) {
			best = b.name
		}
	}
	return best
}

func shareChannel(a, b []string) bool {
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(c string) bool { return slices.Contains(b, c) })
}

// releaseConfig is release-config.yaml: what a file-based catalog does with a
// bundle that was merged.
type releaseConfig struct {
	Templates []struct {
		Name      string   `yaml:"template_name"`
		Channels  []string `yaml:"channels"`
		Replaces  string   `yaml:"replaces"`
		Skips     []string `yaml:"skips"`
		SkipRange string   `yaml:"skipRange"`
	} `yaml:"catalog_templates"`
}

const releaseConfigFile = "release-config.yaml"

func checkReleaseConfig(p *pass) {
	data, err := fs.ReadFile(p.files, releaseConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var c releaseConfig
	if err == nil {
		err = strict.Decode(releaseConfigFile, data, &c)
	}
	var placed *source.Error
	if errors.As(err, &placed) {
		p.say(releaseConfigFile, placed.Pos.Line, "%v", placed.Err).Hint = placed.Hint
		return
	}
	if err != nil {
		p.say(releaseConfigFile, 0, "%v", err)
		return
	}
	if len(c.Templates) == 0 {
		p.say(releaseConfigFile, 0, "no catalog_templates: the bundle would go into no catalog")
	}
	for i, t := range c.Templates {
		where := fmt.Sprintf("catalog_templates[%d]", i)
		switch {
		case t.Name == "":
			p.say(releaseConfigFile, 0, "%s has no template_name", where)
		case p.catalog != nil && len(p.catalog.templates) > 0 && !slices.Contains(p.catalog.templates, t.Name):
			p.say(releaseConfigFile, 0, "%s: the catalog has no template %s", where, t.Name).Hint = nearest(t.Name, p.catalog.templates)
		case len(t.Channels) == 0:
			p.say(releaseConfigFile, 0, "%s names no channel", where)
		case p.csv != nil && t.Replaces == p.csv.name():
			p.say(releaseConfigFile, 0, "%s: %s replaces itself", where, t.Replaces)
		}
	}
}
