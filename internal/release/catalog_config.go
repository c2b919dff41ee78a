package release

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/source"
)

const releaseConfigName = "release-config.yaml"

// addReleaseConfig adds release-config.yaml to the files of a bundle for a
// file-based catalog: with the declared templates, else as the bundle that is
// replaced has it, with the new `replaces`. Where neither is there the catalog
// must not be file-based.
//
// Source: the documentation of the operator pipelines, "FBC auto-release".
func (t *Train) addReleaseConfig(catalog fs.FS, files map[string][]byte, replaces string) error {
	c := t.Recipe.Catalog
	if len(c.Templates) > 0 {
		files[releaseConfigName] = c.releaseConfig(replaces)
		return nil
	}
	if replaces != "" {
		last := path.Join(c.Path, replaces, releaseConfigName)
		data, err := fs.ReadFile(catalog, last)
		if err == nil {
			files[releaseConfigName], err = withReplaces(last, data, c.Package, replaces)
			return err
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	ci, err := fs.ReadFile(catalog, path.Join(c.Path, "ci.yaml"))
	if err != nil {
		return ignoreMissing(err)
	}
	var config yaml.Node
	if err := yaml.Unmarshal(ci, &config); err != nil {
		return fmt.Errorf("%s/ci.yaml: %w", c.Path, err)
	}
	if scalarOf(field(field(&config, "fbc"), "enabled")) == "true" {
		return fmt.Errorf("the catalog of %s is file-based, and the bundle before has no %s to go by", c.Package, releaseConfigName)
	}
	return nil
}

// releaseConfig is the file for the declared templates.
func (c *Catalog) releaseConfig(replaces string) []byte {
	var b strings.Builder
	b.WriteString("---\ncatalog_templates:\n")
	for _, t := range c.Templates {
		fmt.Fprintf(&b, "  - template_name: %s\n    channels: [%s]\n", t.Name, strings.Join(t.Channels, ", "))
		if replaces != "" && !t.Semver {
			fmt.Fprintf(&b, "    replaces: %s.v%s\n", c.Package, replaces)
		}
	}
	return []byte(b.String())
}

// withReplaces sets what the templates of a release-config.yaml replace, and
// leaves every other byte: a template of kind semver names nothing.
func withReplaces(name string, data []byte, pkg, replaces string) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	templates := field(&doc, "catalog_templates")
	if templates == nil || len(templates.Content) == 0 {
		return nil, fmt.Errorf("%s names no catalog_templates", name)
	}
	var edits []source.Edit
	for _, item := range templates.Content {
		old := field(item, "replaces")
		if old == nil {
			continue
		}
		start := offsetOf(data, old.Line, old.Column)
		if old.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			start++
		}
		if !bytes.HasPrefix(data[start:], []byte(old.Value)) {
			return nil, fmt.Errorf("%s:%d: replaces is written in a way that cannot be edited", name, old.Line)
		}
		edits = append(edits, source.Edit{Span: source.Span{Start: start, End: start + len(old.Value)}, Old: old.Value, New: pkg + ".v" + replaces})
	}
	return source.Apply(data, edits)
}

// offsetOf is where a line and a column (both from 1, in characters) begin.
func offsetOf(data []byte, line, column int) int {
	at := 0
	for range line - 1 {
		at += bytes.IndexByte(data[at:], '\n') + 1
	}
	for range column - 1 {
		_, size := utf8.DecodeRune(data[at:])
		at += size
	}
	return at
}
