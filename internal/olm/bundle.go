// Package olm makes and checks OLM bundles: the folder with manifests/,
// metadata/ and tests/ that a catalog of operators takes.
//
// Generate reads a project (a git tree or a folder), builds its kustomize root
// in process, collects the objects by what they mean for OLM, assembles the
// ClusterServiceVersion and writes the rest as files, in the form that
// `operator-sdk generate bundle` gives them. Validate reads a bundle, whoever
// made it, and returns findings.
//
// Sources: the bundle format of operator-registry (docs/design/operator-bundle.md),
// operator-sdk v1.27.0 (internal/generate), kustomize v5.4.
package olm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// Options say what Generate makes.
type Options struct {
	Version   string    // "1.2.0" or "v1.2.0"
	Replaces  string    // the version before in the channel, alike; empty = the first one
	Image     string    // operator image; empty = as the project has it, and no containerImage annotation
	CreatedAt time.Time // for the createdAt annotation

	Package        string // package name; empty = projectName in PROJECT
	Root           string // kustomize root; empty = "config/manifests"
	Channels       string // comma-separated; empty = CHANNELS of the Makefile, else "alpha"
	DefaultChannel string // empty = DEFAULT_CHANNEL of the Makefile, else none
	builder        string // builder annotation; empty = operator-sdk at OPERATOR_SDK_VERSION of the Makefile, else at defaultSDK

	ServiceAccounts []string // more service accounts whose roles belong into the CSV
	Remotes         Remotes  // where remote kustomize references come from; nil = a remote reference is an error
}

// defaultSDK is the operator-sdk whose output Generate gives where the project
// does not say which one it uses.
const defaultSDK = "v1.27.0"

// Remotes brings a remote kustomize reference: the files of the repository at
// url as of ref (empty = its default branch), and a note for the user when
// something else than what was asked for was taken.
type Remotes func(ctx context.Context, url, ref string) (tree fs.FS, note string, err error)

// A Bundle is what Generate made.
type Bundle struct {
	Name  string            // of the CSV: "codeflare-operator.v1.2.0"
	Files map[string][]byte // slash-separated paths: "manifests/x.clusterserviceversion.yaml"
	Notes []string          // what the user should know: references that were replaced, webhooks without a service
}

// A project is the tree that a bundle is made of, with what its scaffolding
// files say.
type project struct {
	tree fs.FS
	vars map[string]string // values of the Makefile's variables, those that only make knows left out

	name   string // projectName of PROJECT; may be empty
	layout string // layout of PROJECT: "go.kubebuilder.io/v3"; "unknown" when there is no PROJECT
}

// Generate makes the bundle of a project. The tree is only read.
func Generate(ctx context.Context, tree fs.FS, o Options) (*Bundle, error) {
	p, err := readProject(tree)
	if err != nil {
		return nil, err
	}
	if err := o.complete(p); err != nil {
		return nil, err
	}
	b := &Bundle{Name: o.Package + ".v" + o.Version, Files: map[string][]byte{}}
	objects, notes, err := build(ctx, p, o)
	b.Notes = append(b.Notes, notes...)
	if err != nil {
		return nil, err
	}
	c, err := collect(objects)
	if err != nil {
		return nil, err
	}
	if err := c.findBase(p, o); err != nil {
		return nil, err
	}
	csv, notes, err := c.csv(o, p.layout)
	b.Notes = append(b.Notes, notes...)
	if err != nil {
		return nil, err
	}
	b.Files["manifests/"+strings.ToLower(o.Package)+csvSuffix] = csv
	if err := c.writeManifests(b.Files, o.ServiceAccounts); err != nil {
		return nil, err
	}
	if err := c.writeScorecard(b.Files); err != nil {
		return nil, err
	}
	b.Files["metadata/annotations.yaml"] = annotations(o, p.layout, c.scorecard != nil)
	return b, nil
}

const csvSuffix = ".clusterserviceversion.yaml"

// readProject reads PROJECT and Makefile; neither has to be there.
func readProject(tree fs.FS) (*project, error) {
	p := &project{tree: tree, layout: "unknown"}
	data, err := fs.ReadFile(tree, "Makefile")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if p.vars, err = values(stack.ParseMakefile("Makefile", data)); err != nil {
		return nil, err
	}
	data, err = fs.ReadFile(tree, "PROJECT")
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	var doc struct {
		ProjectName string `json:"projectName"`
		Layout      any    `json:"layout"` // a list since version 3, a string before
	}
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, &source.Error{Path: "PROJECT", Err: plain(err)}
	}
	p.name = doc.ProjectName
	switch l := doc.Layout.(type) {
	case string:
		p.layout = l
	case []any:
		parts := lists.Of(l, func(v any) string { return fmt.Sprint(v) })
		p.layout = strings.Join(parts, ",")
	}
	return p, nil
}

// complete fills in what was left out and refuses what cannot be.
func (o *Options) complete(p *project) error {
	var err error
	if o.Version, err = cleanVersion("version", o.Version); err != nil {
		return err
	}
	if o.Replaces != "" {
		if o.Replaces, err = cleanVersion("replaced version", o.Replaces); err != nil {
			return err
		}
		if semver.Compare("v"+o.Version, "v"+o.Replaces) <= 0 {
			return fmt.Errorf("version %s is not higher than %s, which it would replace", o.Version, o.Replaces)
		}
	}
	o.Package = cmp.Or(o.Package, p.name)
	if o.Package == "" {
		return &source.Error{Path: "PROJECT", Err: errors.New("no projectName"), Hint: "name the package with --package"}
	}
	if len(validation.IsDNS1123Label(o.Package)) > 0 {
		return fmt.Errorf("package name %q is not a DNS label", o.Package)
	}
	o.Root = path.Clean(cmp.Or(o.Root, "config/manifests"))
	if !fs.ValidPath(o.Root) {
		return fmt.Errorf("kustomize root %q must lie in the project", o.Root)
	}
	if o.Channels, err = p.said(o.Channels, "CHANNELS", "alpha"); err != nil {
		return err
	}
	if o.DefaultChannel, err = p.said(o.DefaultChannel, "DEFAULT_CHANNEL", ""); err != nil {
		return err
	}
	o.builder = cmp.Or(o.builder, "operator-sdk-"+cmp.Or(p.sdkVersion(), defaultSDK))
	for _, s := range []string{o.Channels, o.DefaultChannel, o.builder} {
		if strings.ContainsAny(s, "\n\r:#{}[]\"'&*") {
			return fmt.Errorf("%q cannot be used in annotations.yaml", s)
		}
	}
	return nil
}

// Channels are those that the bundle of a project goes into where nothing
// else is said: CHANNELS of its Makefile, else alpha.
func Channels(tree fs.FS) ([]string, error) {
	p, err := readProject(tree)
	if err != nil {
		return nil, err
	}
	list, err := p.said("", "CHANNELS", "alpha")
	return splitChannels(list), err
}

// said is what a variable of the Makefile says, where nothing is given and else otherwise.
// A value that only make knows, and another one in another line, is an error: a bundle in the
// wrong channel is offered to the wrong users.
func (p *project) said(given, name, otherwise string) (string, error) {
	if given != "" {
		return given, nil
	}
	list, err := (&stack.Place{Kind: "make-var", Path: "Makefile", Key: name}).Assigned(p.tree)
	for _, a := range list {
		if strings.Contains(a.Value, "$") || a.Value != list[0].Value {
			return "", &source.Error{Path: a.Path, Pos: source.Position{Line: a.Line}, Err: fmt.Errorf("only make knows what %s is: %.80q", name, a.Value), Hint: "set it once and plainly, or give --channels and --default-channel"}
		}
		otherwise = cmp.Or(strings.Trim(a.Value, `"`), otherwise)
	}
	return otherwise, err
}

// values are the expanded values of the variables of a Makefile. One that needs
// what only make knows is left out.
func values(m *stack.Makefile) (map[string]string, error) {
	vars := map[string]string{}
	for _, name := range m.Names() {
		text, err := m.Value(name)
		if err != nil {
			return nil, err
		}
		if !strings.Contains(text, "$") {
			vars[name] = strings.Trim(text, `"`)
		}
	}
	return vars, nil
}

// sdkVersion is the operator-sdk that the Makefile asks for, "v1.27.0"; empty
// when it does not say.
func (p *project) sdkVersion() string {
	v := p.vars["OPERATOR_SDK_VERSION"]
	if v != "" && !strings.HasPrefix(v, "v") {
		v = "v" + v
	}
	if !semver.IsValid(v) {
		return ""
	}
	return v
}

// cleanVersion takes "1.2.0" or "v1.2.0" and gives "1.2.0".
func cleanVersion(what, v string) (string, error) {
	bare := strings.TrimPrefix(v, "v")
	if !versions.IsVersion("v" + bare) {
		return "", fmt.Errorf("%s %q is not a semantic version (MAJOR.MINOR.PATCH)", what, v)
	}
	return bare, nil
}

// plain takes the wrapping words off a decoder's error.
func plain(err error) error {
	line, cause := strict.Cause(err)
	if line > 0 {
		cause = fmt.Sprintf("line %d: %s", line, cause)
	}
	return errors.New(cause)
}

// Write puts the bundle into dir, which is made when it is not there; none of
// its files may be. When it fails, what was written stays: the folder is to be
// thrown away.
func (b *Bundle) Write(dir string) error {
	root, err := source.OutputRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // what was written is on the disk
	for _, name := range slices.Sorted(maps.Keys(b.Files)) {
		if err := root.Create(name, b.Files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}
