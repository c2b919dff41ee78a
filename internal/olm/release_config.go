package olm

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// ReleaseConfigFile is what a file-based catalog does with a bundle that was
// merged.
//
// Source: the documentation of the operator pipelines, "FBC auto-release".
const ReleaseConfigFile = "release-config.yaml"

// A Template is one of catalog-templates of a file-based catalog.
type Template struct {
	Name     string   `yaml:"name"`     // "basic.yaml"
	Channels []string `yaml:"channels"` // that the bundle is put into
	Semver   bool     `yaml:"semver"`   // it orders bundles by version: replaces is not said
}

// ReleaseConfig is the file for a bundle: with the templates given, else as the
// bundle that is replaced has it, with the new `replaces`; nil where neither is
// there, which only a catalog that is not file-based allows.
func (c *Catalog) ReleaseConfig(pkg string, templates []Template, replaces Published) ([]byte, error) {
	if len(templates) > 0 {
		return writeReleaseConfig(templates, replaces.Name), nil
	}
	if replaces.Name != "" {
		last := path.Join(c.dir, replaces.Folder, ReleaseConfigFile)
		data, err := fs.ReadFile(c.tree, last)
		if err == nil {
			return withReplaces(last, data, replaces.Name)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if c.fileBased {
		return nil, fmt.Errorf("the catalog of %s is file-based, and the bundle before has no %s to go by", pkg, ReleaseConfigFile)
	}
	return nil, nil
}

func writeReleaseConfig(templates []Template, replaces string) []byte {
	var b strings.Builder
	b.WriteString("---\ncatalog_templates:\n")
	for _, t := range templates {
		channels := lists.Of(t.Channels, strict.Scalar)
		fmt.Fprintf(&b, "  - template_name: %s\n    channels: [%s]\n", strict.Scalar(t.Name), strings.Join(channels, ", "))
		if replaces != "" && !t.Semver {
			fmt.Fprintf(&b, "    replaces: %s\n", replaces)
		}
	}
	return []byte(b.String())
}

// withReplaces sets what the templates of a release-config.yaml replace, and
// leaves every other byte: a template of kind semver names nothing.
func withReplaces(name string, data []byte, replaces string) ([]byte, error) {
	named, err := stack.Scalars(name, data, "catalog_templates[*].template_name")
	if err == nil && len(named) == 0 {
		err = fmt.Errorf("%s names no catalog_templates", name)
	}
	if err != nil {
		return nil, err
	}
	list, err := stack.Scalars(name, data, "catalog_templates[*].replaces")
	if err != nil {
		return nil, err
	}
	var edits []source.Edit
	for _, old := range list {
		if old.Span.Len() == 0 {
			return nil, fmt.Errorf("%s:%d: replaces is written in a way that cannot be edited", name, old.Pos.Line)
		}
		edits = append(edits, source.Edit{Span: old.Span, Old: old.Value, New: replaces})
	}
	return source.Apply(data, edits)
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

func checkReleaseConfig(p *pass) {
	data, err := fs.ReadFile(p.files, ReleaseConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var c releaseConfig
	if err == nil {
		err = strict.Decode(ReleaseConfigFile, data, &c)
	}
	if placed, ok := errors.AsType[*source.Error](err); ok {
		p.say(ReleaseConfigFile, placed.Pos.Line, "%v", placed.Err).Hint = placed.Hint
		return
	}
	if err != nil {
		p.say(ReleaseConfigFile, 0, "%v", err)
		return
	}
	if len(c.Templates) == 0 {
		p.say(ReleaseConfigFile, 0, "no catalog_templates: the bundle would go into no catalog")
	}
	for i, t := range c.Templates {
		where := fmt.Sprintf("catalog_templates[%d]", i)
		switch {
		case t.Name == "":
			p.say(ReleaseConfigFile, 0, "%s has no template_name", where)
		case p.catalog != nil && len(p.catalog.templates) > 0 && !slices.Contains(p.catalog.templates, t.Name):
			p.say(ReleaseConfigFile, 0, "%s: the catalog has no template %s", where, t.Name).Hint = nearest(t.Name, p.catalog.templates)
		case len(t.Channels) == 0:
			p.say(ReleaseConfigFile, 0, "%s names no channel", where)
		case p.csv != nil && t.Replaces == p.csv.name():
			p.say(ReleaseConfigFile, 0, "%s: %s replaces itself", where, t.Replaces)
		}
	}
}
