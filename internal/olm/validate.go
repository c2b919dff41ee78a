package olm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/spelling"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// rules are run in this order; reports are sorted by place.
var rules = []report.Check[*pass]{
	{Rule: report.Rule{ID: "layout", Severity: report.Error, Doc: "manifests/ and metadata/annotations.yaml are there, and nothing else than they, tests/ and the catalog's own files"}, Run: report.Simple(checkLayout)},
	{Rule: report.Rule{ID: "manifest-form", Severity: report.Error, Doc: "every manifest is one readable YAML object with apiVersion, kind and name"}, Run: report.Simple(checkForm)},
	{Rule: report.Rule{ID: "one-csv", Severity: report.Error, Doc: "there is exactly one ClusterServiceVersion"}, Run: report.Simple(checkOneCSV)},
	{Rule: report.Rule{ID: "csv-name", Severity: report.Error, Doc: "the CSV's name ends in its version"}, Run: report.Simple(checkName)},
	{Rule: report.Rule{ID: "csv-version", Severity: report.Error, Doc: "spec.version is a semantic version"}, Run: report.Simple(checkVersion)},
	{Rule: report.Rule{ID: "csv-metadata", Severity: report.Warning, Doc: "display name, description, provider, maintainers, icon, categories and capabilities say what the operator is"}, Run: withCSV(checkMetadata)},
	{Rule: report.Rule{ID: "folder-version", Severity: report.Error, Doc: "the folder of the bundle is named like its version"}, Run: report.Simple(checkFolder)},
	{Rule: report.Rule{ID: "annotations", Severity: report.Error, Doc: "metadata/annotations.yaml names media type, folders, package and channels"}, Run: report.Simple(checkAnnotations)},
	{Rule: report.Rule{ID: "package-name", Severity: report.Error, Doc: "the package is the folder of the catalog that the bundle lies in", Needs: "`--catalog`"}, Run: report.Simple(checkPackage)},
	{Rule: report.Rule{ID: "replaces-order", Severity: report.Error, Doc: "what is replaced is another and lower version of the same operator"}, Run: withCSV(checkReplacesOrder)},
	{Rule: report.Rule{ID: "replaces-chain", Severity: report.Error, Doc: "what is replaced is in the catalog, and each channel keeps one head from which replaces lead to all that is not skipped", Needs: "`--catalog`"}, Run: report.Simple(checkReplacesChain)},
	{Rule: report.Rule{ID: "version-taken", Severity: report.Error, Doc: "the catalog has no other bundle of that name or version", Needs: "`--catalog`"}, Run: report.Simple(checkTaken)},
	{Rule: report.Rule{ID: "owned-without-crd", Severity: report.Error, Doc: "every owned CRD of the CSV has its manifest, with that version and kind"}, Run: report.Simple(checkOwned)},
	{Rule: report.Rule{ID: "crd-not-owned", Severity: report.Error, Doc: "every CRD manifest is owned by the CSV"}, Run: withCSV(checkNotOwned)},
	{Rule: report.Rule{ID: "examples-json", Severity: report.Error, Doc: "alm-examples is a JSON list of objects with apiVersion, kind and name"}, Run: report.Simple(checkExamplesJSON)},
	{Rule: report.Rule{ID: "examples-unowned", Severity: report.Error, Doc: "every example is of an API that the CSV owns"}, Run: report.Simple(checkExamplesUnowned)},
	{Rule: report.Rule{ID: "examples-schema", Severity: report.Warning, Doc: "every example fits the schema of its CRD"}, Run: report.Simple(checkExamplesSchema)},
	{Rule: report.Rule{ID: "examples-missing", Severity: report.Warning, Doc: "there is an example of every owned CRD"}, Run: report.Simple(checkExamplesMissing)},
	{Rule: report.Rule{ID: "image-digest", Severity: report.Error, Doc: "every image is referred to by digest", Needs: "`--digests`"}, Run: report.Simple(checkDigests)},
	{Rule: report.Rule{ID: "image-related", Severity: report.Error, Doc: "every image of a container or of a RELATED_IMAGE_* variable is a related image", Needs: "`--digests`"}, Run: report.Simple(checkRelated)},
	{Rule: report.Rule{ID: "image-missing", Severity: report.Error, Doc: "every image is in its registry", Needs: "`--images`"}, Run: report.Simple(checkPresent)},
	{Rule: report.Rule{ID: "image-placeholder", Severity: report.Error, Doc: "no container has the scaffold's placeholder for an image, or none"}, Run: report.Simple(checkPlaceholder)},
	{Rule: report.Rule{ID: "container-image", Severity: report.Warning, Doc: "the containerImage annotation is an image that the operator runs"}, Run: withCSV(checkContainerImage)},
	{Rule: report.Rule{ID: "install-modes", Severity: report.Error, Doc: "install modes are known, said once, and at least one is supported"}, Run: withCSV(checkInstallModes)},
	{Rule: report.Rule{ID: "conversion-modes", Severity: report.Error, Doc: "an operator with conversion webhooks is installed for all namespaces, and not otherwise"}, Run: report.Simple(checkConversionModes)},
	{Rule: report.Rule{ID: "min-kube-version", Severity: report.Error, Doc: "minKubeVersion, if set, is a version"}, Run: withCSV(checkMinKube)},
	{Rule: report.Rule{ID: "api-removed", Severity: report.Error, Doc: "no manifest is of an API that the Kubernetes version no longer serves", Needs: "`--kube`"}, Run: checkRemoved},
	{Rule: report.Rule{ID: "kind-unsupported", Severity: report.Error, Doc: "every manifest is of a kind that OLM takes from a bundle"}, Run: report.Simple(checkKinds)},
	{Rule: report.Rule{ID: "namespace-set", Severity: report.Error, Doc: "no manifest names a namespace: OLM installs them where the operator is"}, Run: report.Simple(checkNamespace)},
	{Rule: report.Rule{ID: "object-twice", Severity: report.Error, Doc: "no object is in two manifests"}, Run: report.Simple(checkTwice)},
	{Rule: report.Rule{ID: "account-twice", Severity: report.Error, Doc: "no service account of a deployment has a manifest: OLM makes it"}, Run: withCSV(checkAccounts)},
	{Rule: report.Rule{ID: "cluster-unsafe", Severity: report.Error, Doc: "no disruption budget forbids every eviction, and no priority class is the default of the cluster"}, Run: report.Simple(checkUnsafe)},
	{Rule: report.Rule{ID: "size", Severity: report.Error, Doc: "the manifests, compressed, fit into the ConfigMap that OLM keeps them in"}, Run: report.Simple(checkSize)},
	{Rule: report.Rule{ID: "webhook-deployment", Severity: report.Error, Doc: "every webhook definition names a deployment of the CSV"}, Run: withCSV(checkWebhooks)},
	{Rule: report.Rule{ID: "release-config", Severity: report.Error, Doc: "release-config.yaml of a file-based catalog is well formed and names templates of the catalog"}, Run: report.Simple(checkReleaseConfig)},
	{Rule: report.Rule{ID: "one-directory", Severity: report.Error, Doc: "the commits change nothing outside of the bundle's folder", Needs: "`--base`"}, Run: report.Simple(checkOneDirectory)},
	{Rule: report.Rule{ID: "sign-off", Severity: report.Error, Doc: "every commit is signed off by its author (DCO)", Needs: "`--base`"}, Run: report.Simple(checkSignOff)},
}

// withCSV is the Run of a check of the CSV, where there is one.
func withCSV(look func(*pass)) func(context.Context, *pass) error {
	return report.Simple(func(p *pass) {
		if p.csv != nil {
			look(p)
		}
	})
}

// A Check says what Validate looks at next to the bundle itself.
type Check struct {
	Dir     string   // of the bundle, as the user names it: findings' paths begin with it
	Catalog fs.FS    // folder of the package (holds X.Y.Z/), of the operators, or the root of a catalog; nil = none
	Kube    string   // Kubernetes version "1.31" that must serve every API; empty = not checked
	Digests bool     // images must be referred to by digest, and be related images
	Images  Images   // asked for every image; nil = not asked
	Commits *Commits // commits that bring the bundle; nil = none
}

// Commits are what a pull request brings.
type Commits struct {
	Folder  string // of the bundle in the repository, slash-separated
	Changed []string
	List    []Commit
}

// A Commit is as much of one as the rules look at.
type Commit struct {
	Hash, Author, Email, Message string
}

// A pass is one run over a bundle.
type pass struct {
	report.Pass
	Check
	files fs.FS

	manifests   []*manifest
	unreadable  []report.Finding // found while reading, reported by manifest-form
	csv         *manifest        // nil = none
	annotations map[string]string
	notesPath   string
	catalog     *Catalog          // nil = none given
	seen        map[string]string // digest by reference, empty = it is not there; what was not asked for is not in it
	size        int               // of the manifests, compressed
}

// A manifest is one object of manifests/.
type manifest struct {
	path   string
	node   *yaml.Node
	object map[string]any
}

func (m *manifest) kind() string { return text(m.object, "kind") }
func (m *manifest) name() string { return text(m.object, "metadata", "name") }

// Validate checks a bundle. Findings are values; an error means that the
// bundle could not be read.
func Validate(ctx context.Context, files fs.FS, c Check) ([]report.Finding, error) {
	p := &pass{Check: c, files: files}
	if err := p.read(); err != nil {
		return nil, err
	}
	if c.Catalog != nil {
		var err error
		if p.catalog, err = readCatalog(c.Catalog, p.packageName()); err != nil {
			return nil, err
		}
	}
	if err := p.look(ctx); err != nil {
		return nil, err
	}
	err := report.Run(ctx, rules, p, nil)
	return p.Findings, err
}

// read loads manifests and annotations. What does not parse becomes a finding.
func (p *pass) read() error {
	entries, err := fs.ReadDir(p.files, "manifests")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var all []byte
	for _, e := range entries {
		if e.IsDir() || !isYAML(e.Name()) {
			continue
		}
		name := path.Join("manifests", e.Name())
		data, err := fs.ReadFile(p.files, name)
		if err != nil {
			return err
		}
		all = append(all, data...)
		p.readManifest(name, data)
	}
	p.size = compressed(all)
	for _, m := range p.manifests {
		if m.kind() == "ClusterServiceVersion" && p.csv == nil {
			p.csv = m
		}
	}
	return p.readAnnotations()
}

func isYAML(name string) bool {
	ext := path.Ext(name)
	return ext == ".yaml" || ext == ".yml" || ext == ".json"
}

// readManifest reads the objects of one file.
func (p *pass) readManifest(name string, data []byte) {
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	count := 0
	for {
		var node yaml.Node
		err := dec.Decode(&node)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				p.unreadable = append(p.unreadable, p.placed(name, err))
			}
			break
		}
		if len(node.Content) == 0 || node.Content[0].Tag == "!!null" {
			continue
		}
		for _, key := range dropTwice(&node) {
			p.unreadable = append(p.unreadable, p.finding(name, key.Line, fmt.Sprintf("key %s is here a second time; OLM uses the last one", key.Value)))
		}
		m := &manifest{path: name, node: node.Content[0]}
		if err := node.Decode(&m.object); err != nil {
			p.unreadable = append(p.unreadable, p.placed(name, err))
			continue
		}
		count++
		p.manifests = append(p.manifests, m)
	}
	if count > 1 {
		p.unreadable = append(p.unreadable, p.finding(name, 0, fmt.Sprintf("%d objects in one file; OLM reads only the first", count)))
	}
}

// dropTwice takes the earlier entries of keys that stand more than once out of
// mappings, as OLM's decoder does, and returns the later keys.
func dropTwice(n *yaml.Node) []*yaml.Node {
	var twice []*yaml.Node
	if n.Kind == yaml.MappingNode {
		last := map[string]int{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if earlier, ok := last[key.Value]; ok && key.Kind == yaml.ScalarNode && key.Value != "<<" {
				twice = append(twice, key)
				n.Content[earlier], n.Content[earlier+1] = nil, nil
			}
			last[key.Value] = i
		}
		n.Content = slices.DeleteFunc(n.Content, func(c *yaml.Node) bool { return c == nil })
	}
	for _, c := range n.Content {
		twice = append(twice, dropTwice(c)...)
	}
	return twice
}

// readAnnotations reads the file of metadata/ that holds annotations.
func (p *pass) readAnnotations() error {
	entries, err := fs.ReadDir(p.files, "metadata")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || !isYAML(e.Name()) {
			continue
		}
		data, err := fs.ReadFile(p.files, path.Join("metadata", e.Name()))
		if err != nil {
			return err
		}
		var doc struct {
			Annotations map[string]string `yaml:"annotations"`
		}
		if yaml.Unmarshal(data, &doc) == nil && len(doc.Annotations) > 0 {
			p.annotations, p.notesPath = doc.Annotations, path.Join("metadata", e.Name())
			return nil
		}
	}
	return nil
}

const (
	notePrefix  = "operators.operatorframework.io.bundle."
	packageNote = notePrefix + "package.v1"
)

// packageName is what the annotations say, else what the CSV's name begins with.
func (p *pass) packageName() string {
	if name := p.annotations[packageNote]; name != "" {
		return name
	}
	if p.csv == nil {
		return ""
	}
	name, _, _ := strings.Cut(p.csv.name(), ".")
	return name
}

// csvObject is the CSV; nil when there is none.
func (p *pass) csvObject() map[string]any {
	if p.csv == nil {
		return nil
	}
	return p.csv.object
}

// finding makes one of the current rule. Line 0 means the whole file.
func (p *pass) finding(file string, line int, message string) report.Finding {
	f := report.Finding{Line: line, Message: message, Path: file, Component: p.packageName()}
	if file != "" {
		f.Path = path.Join(p.Dir, file)
	}
	return f
}

// placed is a finding from the parser's error, at the line that it names.
func (p *pass) placed(file string, err error) report.Finding {
	line, cause := strict.Cause(err)
	return p.finding(file, line, cause)
}

// say reports a finding of the current rule.
func (p *pass) say(file string, line int, format string, args ...any) *report.Finding {
	return p.Report(p.finding(file, line, ""), format, args...)
}

// sayCSV reports a finding at a place of the CSV.
func (p *pass) sayCSV(at []string, format string, args ...any) *report.Finding {
	return p.say(p.csv.path, lineOf(p.csv.node, at), format, args...)
}

// lineOf is the line of the deepest part of a path of keys that is there.
func lineOf(n *yaml.Node, keys []string) int {
	line := 0
	for _, key := range keys {
		at, value := strict.Entry(n, key)
		if at == nil {
			break
		}
		line, n = at.Line, value
	}
	return line
}

// at follows keys into an object; nil when something is not there.
func at(object any, keys ...string) any {
	for _, key := range keys {
		m, ok := object.(map[string]any)
		if !ok {
			return nil
		}
		object = m[key]
	}
	return object
}

func text(object any, keys ...string) string {
	s, _ := at(object, keys...).(string)
	return s
}

func list(object any, keys ...string) []any {
	l, _ := at(object, keys...).([]any)
	return l
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// Rules is the catalogue of what Validate looks at.
func Rules() report.Rules { return report.RulesOf(rules, nil) }

// nearest is a hint that names the candidate that was probably meant.
func nearest(word string, candidates []string) string {
	if n := spelling.Nearest(word, candidates); n != "" {
		return "did you mean " + n + "?"
	}
	return ""
}
