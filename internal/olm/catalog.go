package olm

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Catalog is what a catalog repository says of one package. Who makes a bundle
// and who evaluates one read it here.
// Layout: operators/PACKAGE/VERSION/, operators/PACKAGE/ci.yaml,
// operators/PACKAGE/catalog-templates/*.yaml for file-based catalogs.
// Source: https://redhat-openshift-ecosystem.github.io/operator-pipelines/users/
type Catalog struct {
	tree      fs.FS
	dir       string // of the package in the tree given
	bundles   []Published
	templates []string // file names in catalog-templates
	fileBased bool     // ci.yaml says fbc.enabled
	semver    bool     // ci.yaml says updateGraph: semver-mode
}

// A Published bundle is one that a catalog has; its zero value is none.
type Published struct {
	Folder   string // "1.2.0"
	Name     string // of its CSV: "codeflare-operator.v1.2.0"
	version  string // of its CSV
	pkg      string // of its annotations; empty = not said
	replaces string
	skips    []string
	channels []string
}

// readCatalog finds the package in a tree that is the package's folder, the
// folder of all packages, or the root of the catalog's repository.
func readCatalog(tree fs.FS, name string) (*Catalog, error) {
	if name == "" {
		return nil, errors.New("the bundle names no package: the catalog cannot be read")
	}
	dir := "."
	switch {
	case isDir(tree, "operators"):
		dir = path.Join("operators", name)
	default:
		if bundles, _ := fs.Glob(tree, "*/manifests"); bundles == nil {
			dir = name
		}
	}
	return readPackage(tree, dir)
}

// ReadPackage reads the folder of a package in a catalog; one that is not there
// is of a package that is new to the catalog.
func ReadPackage(folder fs.FS) (*Catalog, error) { return readPackage(folder, ".") }

func readPackage(tree fs.FS, dir string) (*Catalog, error) {
	c := &Catalog{tree: tree, dir: dir}
	if !isDir(tree, dir) {
		return c, nil
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

// readConfig reads ci.yaml and the names of the templates; neither has to be there.
func (c *Catalog) readConfig(tree fs.FS) error {
	templates, err := fs.Glob(tree, path.Join(c.dir, "catalog-templates", "*"))
	if err != nil {
		return err
	}
	c.templates = lists.Of(templates, path.Base)
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
func readPublished(tree fs.FS, dir string) (Published, bool, error) {
	b := Published{Folder: path.Base(dir)}
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
			b.Name, b.version, b.replaces, b.skips = csv.Metadata.Name, csv.Spec.Version, csv.Spec.Replaces, csv.Spec.Skips
		}
	}
	data, err := fs.ReadFile(tree, path.Join(dir, "metadata", "annotations.yaml"))
	if err == nil {
		var doc struct {
			Annotations map[string]string `json:"annotations"`
		}
		if yaml.Unmarshal(data, &doc) == nil {
			b.channels = splitChannels(doc.Annotations[notePrefix+"channels.v1"])
			b.pkg = doc.Annotations[packageNote]
		}
	}
	return b, b.Name != "", nil
}

// others are the bundles of the catalog that are not the one being checked.
func (p *pass) others() []Published {
	return slices.DeleteFunc(slices.Clone(p.catalog.bundles), func(b Published) bool {
		return b.Folder == path.Base(path.Clean(p.Dir)) && p.csv != nil && b.Name == p.csv.name()
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
		case b.Name == p.csv.name():
			p.sayCSV([]string{"metadata", "name"}, "%s is in the catalog already, as %s", b.Name, path.Join(p.catalog.dir, b.Folder))
		case v != "" && b.version == v:
			p.sayCSV([]string{"spec", "version"}, "version %s is in the catalog already, as %s", v, path.Join(p.catalog.dir, b.Folder))
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
			f := p.sayCSV([]string{"spec"}, "replaces nothing, and the channel has %s: no installation would be updated", head)
			f.Expected, f.Hint = head, "replaces: "+head
			return
		}
	case !p.isLower(replaces):
		return // replaces-order says so
	case !slices.ContainsFunc(p.others(), func(b Published) bool { return b.Name == replaces }):
		f := p.sayCSV([]string{"spec", "replaces"}, "replaces %s, which is not in the catalog", replaces)
		f.Expected, f.Actual = head, replaces
		if head != "" {
			f.Hint = "replaces: " + head
		}
		return
	}
	checkGraph(p)
}

// head is the bundle that this one is to replace, of those that are lower: one that
// is in the catalog already is evaluated by what was there when it came.
func (p *pass) head() string { return headOf(lowerThan(p.others(), p.version()), p.channels()).Name }

// Replaced is the bundle that one of a version in some channels replaces: the
// head of those channels among what is lower; where they have none, as the
// channel of a hotfix has at first, that of all channels.
func (c *Catalog) Replaced(version string, channels []string) Published {
	lower := lowerThan(c.bundles, version)
	if head := headOf(lower, channels); head.Name != "" {
		return head
	}
	return headOf(lower, nil)
}

// Versions are those of the bundles, as their names have them, in order.
func (c *Catalog) Versions() []string {
	var versions []string
	for _, b := range c.bundles {
		if v := b.Version(); v != "" {
			versions = append(versions, v)
		}
	}
	slices.SortFunc(versions, func(a, b string) int { return semver.Compare("v"+a, "v"+b) })
	return versions
}

// Version is that of the bundle's name, "1.2.0"; empty when it has none.
func (b Published) Version() string { return versionOfName(b.Name) }

// lowerThan leaves out bundles of a version and of higher ones. What has no
// version in its name stays.
func lowerThan(bundles []Published, version string) []Published {
	return slices.DeleteFunc(slices.Clone(bundles), func(b Published) bool {
		other := b.Version()
		return other != "" && version != "" && semver.Compare("v"+other, "v"+version) >= 0
	})
}

// headOf is the bundle of some channels that no other of the bundles replaces or
// skips: the highest, when there are several. No channels are all of them.
func headOf(bundles []Published, channels []string) Published {
	bundles = slices.DeleteFunc(slices.Clone(bundles), func(b Published) bool { return !shareChannel(b.channels, channels) })
	var best Published
	for _, b := range bundles {
		gone := slices.ContainsFunc(bundles, func(o Published) bool {
			return o.replaces == b.Name || slices.Contains(o.skips, b.Name)
		})
		if !gone && (best.Name == "" || semver.Compare("v"+b.Version(), "v"+best.Version()) > 0) {
			best = b
		}
	}
	return best
}

func shareChannel(a, b []string) bool {
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(c string) bool { return slices.Contains(b, c) })
}
