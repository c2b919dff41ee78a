package matrix

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A Config is the `matrix` section of .cfctl.yaml.
type Config struct {
	Releases []Release `yaml:"releases"` // oldest first
	Rules    []Rule    `yaml:"rules"`    // what must hold between versions
	Allow    []Allow   `yaml:"allow"`    // known exceptions
	Sprint   Sprint    `yaml:"sprint"`   // the calendar of sprints
	Results  string    `yaml:"results"`  // file of the results of tests (matrix record); default .cfctl/results.yaml
}

// A Release is one row of the matrix: a version of the stack and the versions
// of the components that make it.
type Release struct {
	Version    string `yaml:"version" json:"version"`                 // of the stack
	Date       string `yaml:"date,omitempty" json:"date,omitempty"`   // YYYY-MM-DD
	Notes      string `yaml:"notes,omitempty" json:"notes,omitempty"` // for people
	Components []Pin  `yaml:"components" json:"components"`           // the exact version of each component

	begins string // of a row of a table of releases: its first version
	line   int    // in its configuration
}

// UnmarshalYAML also keeps the line.
func (r *Release) UnmarshalYAML(n *yaml.Node) error {
	type plain Release
	r.line = n.Line
	return n.Decode((*plain)(r))
}

// A Pin is the exact version of one component in a release.
type Pin struct {
	Name    string `yaml:"name" json:"name"`                         // of the component
	Version string `yaml:"version" json:"version,omitempty"`         // as it is tagged: "v1.2.3"; empty = Range says which
	Range   string `yaml:"range,omitempty" json:"range,omitempty"`   // versions that the release goes with: "1.27 - 1.30"
	Digest  string `yaml:"digest,omitempty" json:"digest,omitempty"` // of the image of that version: "sha256:..."
	Tested  string `yaml:"tested,omitempty" json:"tested,omitempty"` // constraint: versions that the release was tested with
	Link    string `yaml:"link,omitempty" json:"link,omitempty"`     // target of the link when it is not the standard one; "-" = no link

	line int // in its configuration
}

// UnmarshalYAML also keeps the line.
func (p *Pin) UnmarshalYAML(n *yaml.Node) error {
	type plain Pin
	p.line = n.Line
	return n.Decode((*plain)(p))
}

// Pin returns the release's pin of a component.
func (r *Release) Pin(component string) (Pin, bool) {
	for _, p := range r.Components {
		if p.Name == component {
			return p, true
		}
	}
	return Pin{}, false
}

// The kinds of rules.
const (
	KindAlign  = "align"  // component and with have the same version
	KindPair   = "pair"   // a component in the range when needs with in the range needs
	kindSkew   = "skew"   // component and with (without with: its row and its build) are at most minors apart
	kindModule = "module" // the modules of a family are built at most minors apart
	kindLag    = "lag"    // a new release of component is taken in within sprints
)

var kinds = []string{KindAlign, KindPair, kindSkew, kindModule, kindLag}

// A Rule constrains versions. Which members count depends on Kind.
type Rule struct {
	Kind      string `yaml:"kind"`      // align, pair, skew, module or lag
	Component string `yaml:"component"` // that it is about
	With      string `yaml:"with"`      // align, pair, skew: the other component
	When      string `yaml:"when"`      // pair: constraint on component; empty = any version
	Needs     string `yaml:"needs"`     // pair: constraint on with
	Modules   string `yaml:"modules"`   // module: glob of module paths, "k8s.io/*"
	Minors    int    `yaml:"minors"`    // skew, module: allowed distance of the minor version
	Sprints   int    `yaml:"sprints"`   // lag: after the sprint of the release, how many more sprints there are
	Reason    string `yaml:"reason"`    // printed with the finding

	line int // in its configuration
}

// UnmarshalYAML also keeps the line.
func (r *Rule) UnmarshalYAML(n *yaml.Node) error {
	type plain Rule
	r.line = n.Line
	return n.Decode((*plain)(r))
}

// An Allow is a known exception.
type Allow struct {
	Rule      string `yaml:"rule"`      // the check whose findings are known
	Component string `yaml:"component"` // empty = findings of the rule without a component
	Versions  string `yaml:"versions"`  // the finding's version as it is written, or a constraint on it; empty = any
	Reason    string `yaml:"reason"`    // why that is right, for now
	Expires   string `yaml:"expires"`   // YYYY-MM-DD, the last day; empty = never
}

// A Sprint is the calendar of sprints.
type Sprint struct {
	Start string `yaml:"start"` // first day of any sprint, YYYY-MM-DD
	Weeks int    `yaml:"weeks"` // length; 0 = no calendar
}

// End returns the last day of the sprint that day lies in, and of the n-th
// sprint after it.
func (s Sprint) End(day time.Time, n int) (time.Time, error) {
	start, err := time.Parse(time.DateOnly, s.Start)
	if err != nil || s.Weeks <= 0 {
		return time.Time{}, fmt.Errorf("matrix: sprint: start must be a date and weeks a positive number")
	}
	length := s.Weeks * 7
	days := int(day.UTC().Truncate(24*time.Hour).Sub(start).Hours() / 24)
	index := days / length
	if days < 0 && days%length != 0 {
		index--
	}
	return start.AddDate(0, 0, (index+1+n)*length-1), nil
}

//go:embed codeflare.yaml
var codeflare []byte

// Default is the built-in matrix of the CodeFlare stack: its releases and rules.
func Default() *Config {
	var doc struct {
		Matrix Config `yaml:"matrix"`
	}
	err := strict.Decode("codeflare.yaml", codeflare, &doc)
	if err == nil {
		err = doc.Matrix.Complete("codeflare.yaml", stack.Default())
	}
	if err != nil {
		panic(err) // embedded: a test reads it
	}
	return &doc.Matrix
}

// maxAllow is how many exceptions there may be: each finding is compared with each.
const maxAllow = 1000

// Complete checks what cannot be read otherwise: kinds, components,
// constraints, dates. path is for its errors. What is merely wrong in it is for
// Lint.
func (c *Config) Complete(path string, s *stack.Stack) error {
	for i, r := range c.Rules {
		if err := r.complete(s); err != nil {
			return &source.Error{Path: path, Err: fmt.Errorf("matrix: rule %d: %w", i+1, err)}
		}
	}
	if c.Results != "" && (!fs.ValidPath(c.Results) || c.Results == ".") {
		return &source.Error{Path: path, Err: fmt.Errorf("matrix: results: %q is not a path within the tree", c.Results)}
	}
	if len(c.Allow) > maxAllow {
		return &source.Error{Path: path, Err: fmt.Errorf("matrix: allow has %d exceptions, more than %d: use versions: for a range of them", len(c.Allow), maxAllow)}
	}
	for i, a := range c.Allow {
		if err := a.complete(); err != nil {
			return &source.Error{Path: path, Err: fmt.Errorf("matrix: allow %d: %w", i+1, err)}
		}
	}
	for _, r := range c.Releases {
		if r.Date != "" {
			if _, err := time.Parse(time.DateOnly, r.Date); err != nil {
				return &source.Error{Path: path, Err: fmt.Errorf("matrix: release %s: date %q is not YYYY-MM-DD", r.Version, r.Date)}
			}
		}
	}
	if c.Sprint.Weeks != 0 || c.Sprint.Start != "" {
		if _, err := c.Sprint.End(time.Time{}, 0); err != nil {
			return &source.Error{Path: path, Err: err}
		}
	}
	return nil
}

func (r *Rule) complete(s *stack.Stack) error {
	if !slices.Contains(kinds, r.Kind) {
		if near := spelling.Nearest(r.Kind, kinds); near != "" {
			return fmt.Errorf("unknown kind %q, did you mean %s?", r.Kind, near)
		}
		return fmt.Errorf("unknown kind %q (known: %s)", r.Kind, strings.Join(kinds, ", "))
	}
	if r.Kind == kindModule {
		if _, err := path.Match(r.Modules, ""); err != nil || r.Modules == "" {
			return fmt.Errorf("kind module needs a glob of modules, got %q", r.Modules)
		}
		return nil
	}
	names := []string{r.Component}
	if r.Kind == KindAlign || r.Kind == KindPair || r.With != "" {
		names = append(names, r.With)
	}
	for _, n := range names {
		if _, err := s.Lookup(n); err != nil {
			return err
		}
	}
	if r.Kind == KindPair && r.Needs == "" {
		return fmt.Errorf("kind pair of %s and %s needs a constraint: needs", r.Component, r.With)
	}
	for _, text := range []string{r.When, r.Needs} {
		if _, err := Constraint(text); err != nil {
			return err
		}
	}
	return nil
}

func (a *Allow) complete() error {
	if !slices.ContainsFunc(Rules(), func(r report.Rule) bool { return r.ID == a.Rule }) {
		return fmt.Errorf("unknown rule %q", a.Rule)
	}
	if a.Reason == "" {
		return fmt.Errorf("an exception of %s needs a reason", a.Rule)
	}
	if a.Expires != "" {
		if _, err := time.Parse(time.DateOnly, a.Expires); err != nil {
			return fmt.Errorf("expires %q is not YYYY-MM-DD", a.Expires)
		}
	}
	if !strings.ContainsAny(a.Versions, " <>=~^*,|") {
		return nil // one version as it is written, well-formed or not
	}
	_, err := Constraint(a.Versions)
	return err
}

// Constraint reads a range of versions; an empty text takes every version. One
// that no version satisfies is the empty range, which lint reports.
func Constraint(text string) (versions.Range, error) {
	if text == "" {
		return versions.AnyVersion(), nil
	}
	r, err := versions.ParseRange(text)
	if errors.Is(err, versions.ErrEmpty) {
		return versions.Range{}, nil
	}
	return r, err
}

// defaultResults is the file of results where the configuration names none.
const defaultResults = ".cfctl/results.yaml"

// ResultsPath is the file of the results.
func (c *Config) ResultsPath() string { return cmp.Or(c.Results, defaultResults) }
