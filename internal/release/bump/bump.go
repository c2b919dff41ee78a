// Package bump edits the versions that a tree refers to.
package bump

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/matrix"
	linetext "github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A tagReader reads the files of a tag of a repository on the web, and the date
// of its commit. A tag that is not there wraps git.ErrNotFound.
type tagReader interface {
	At(ctx context.Context, url, tag string) (fs.FS, time.Time, error)
}

// A References plan is what a bump of the versions in a tree would edit.
type References struct {
	copies []string                 // paths of CRDs that are synced from their components
	Edits  map[string][]source.Edit // all of it, by path; empty = every place says so already
	Kept   []string                 // names of components that no version was given for
	Module bool                     // go.mod is among the files: it is to be tidied
}

// PlanReferences plans step 2 of ADR PCF-ADR-0003 in a tree of the root's
// repository: the stack's version and those of components (by name, "v1.2.0")
// at every place where they stand, and the CRDs of the components that are
// named, from their tags. A place that is not found, a version that is none and
// a stack version lower than the tree's are errors, and then nothing is planned.
// The edits are proven: with them made every place reads as it should.
func PlanReferences(ctx context.Context, s *stack.Stack, tree fs.FS, tags tagReader, version string, versions map[string]string) (*References, error) {
	bumps, kept, err := bumpsOf(s, tree, version, versions)
	if err != nil {
		return nil, err
	}
	r := &References{Kept: kept}
	if _, r.Edits, err = matrix.Set(s, tree, bumps); err != nil {
		return nil, err
	}
	for _, b := range bumps {
		for _, crd := range b.Component.CRDs {
			if err := r.syncCRD(ctx, tree, tags, b, crd); err != nil {
				return nil, err
			}
		}
	}
	_, r.Module = r.Edits["go.mod"]
	return r, nil
}

// bumpsOf checks the versions and puts them into the order of the stack.
func bumpsOf(s *stack.Stack, tree fs.FS, version string, wanted map[string]string) (bumps []matrix.Bump, kept []string, err error) {
	root := s.RootComponent()
	if !versions.IsVersion(version) {
		return nil, nil, fmt.Errorf("version %q is not a semantic version vMAJOR.MINOR.PATCH", version)
	}
	if v, ok := wanted[root.Name]; ok && v != version {
		return nil, nil, fmt.Errorf("%s is the stack's own version: it cannot be %s and %s", root.Name, version, v)
	}
	if now := VersionIn(s, tree, root); semver.Compare(now, version) > 0 {
		return nil, nil, fmt.Errorf("%s is lower than %s, which the tree is at", version, now)
	}
	for i := range s.Components {
		c := &s.Components[i]
		v := wanted[c.Name]
		switch {
		case c == root:
			v = version
		case v == "":
			if len(s.PlacesOf(c, root, version)) > 0 && slices.Contains(s.At(version), c) {
				kept = append(kept, c.Name)
			}
			continue
		}
		bumps = append(bumps, matrix.Bump{Component: c, Version: v})
	}
	return bumps, kept, nil
}

// VersionIn is the version of a component as the first of its places says;
// empty when none does.
func VersionIn(s *stack.Stack, tree fs.FS, c *stack.Component) string {
	for _, p := range s.PlacesOf(c, s.RootComponent(), "") {
		matches, err := p.Find(tree)
		if err == nil && len(matches) > 0 && versions.IsVersion(matches[0].Version) {
			return matches[0].Version
		}
	}
	return ""
}

// syncCRD plans the copy of a CRD to be what the component has at its tag. A
// copy that means the same already is left alone; a copy that is not there is
// an error, since it would be in no build.
func (r *References) syncCRD(ctx context.Context, tree fs.FS, tags tagReader, b matrix.Bump, crd stack.CRD) error {
	ours, err := fs.ReadFile(tree, crd.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s, the copy of a CRD of %s: %w", crd.Path, b.Component.Name, stack.ErrNoMatch)
	}
	if err != nil {
		return err
	}
	tag := b.Component.TagOf(b.Version)
	there, _, err := tags.At(ctx, b.Component.URL(), tag)
	if err != nil {
		return fmt.Errorf("CRDs of %s %s: %w", b.Component.Name, tag, err)
	}
	theirs, err := fs.ReadFile(there, crd.Source)
	if err != nil {
		return fmt.Errorf("%s of %s %s: %w", crd.Source, b.Component.Name, tag, err)
	}
	fresh, err := inFormOf(ours, theirs)
	if err != nil {
		return &source.Error{Path: crd.Path, Err: fmt.Errorf("%s of %s %s: %w", crd.Source, b.Component.Name, tag, err)}
	}
	if !bytes.Equal(ours, fresh) {
		r.Edits[crd.Path] = linetext.LineEdits(ours, fresh)
		r.copies = append(r.copies, crd.Path)
	}
	return nil
}

// inFormOf writes generated YAML as a copy of an earlier version is written: as
// it comes, or with the indentation of lists that kustomize and yq give it. The
// copy's own bytes come back when both mean the same.
func inFormOf(ours, theirs []byte) ([]byte, error) {
	wide, err := encodeWide(theirs)
	if err != nil {
		return nil, err
	}
	if same, err := encodeWide(ours); err == nil && bytes.Equal(same, wide) {
		return ours, nil
	}
	if again, err := encodeWide(ours); err == nil && bytes.Equal(again, ours) {
		return wide, nil
	}
	return theirs, nil
}

// encodeWide writes documents with lists indented under their keys.
func encodeWide(data []byte) ([]byte, error) {
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	enc.DefaultSeqIndent()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return out.Bytes(), enc.Close()
		}
		if err != nil {
			return nil, err
		}
		if err := enc.Encode(&doc); err != nil {
			return nil, err
		}
	}
}

// ReferenceRules are the findings that TidyModule can have.
var ReferenceRules = []report.Rule{
	{ID: "module-not-tidied", Severity: report.Error, Doc: "go mod tidy brings go.sum and the indirect requirements to the versions of go.mod"},
}

// TidyModule runs `go mod tidy` in dir, a work tree, with variables such as gocmd.Offline. A module
// that cannot be had, or a Go that is not installed, is a finding: what was edited stays.
func TidyModule(ctx context.Context, dir string, env ...string) []report.Finding {
	cmd := exec.CommandContext(ctx, "go", "mod", "tidy")
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), env...)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	return []report.Finding{{
		Rule: ReferenceRules[0].ID, Severity: report.Error, Path: "go.mod",
		Message: "go mod tidy: " + tidyCause(string(out), err), Hint: "when the module is to be had: go mod tidy",
	}}
}

// tidyCause is the line of go's output that says why.
func tidyCause(out string, err error) string {
	cause := ""
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "go: downloading ") || strings.HasPrefix(line, "go: finding ") || strings.HasPrefix(line, "go: found ") {
			continue
		}
		cause = strings.TrimPrefix(line, "go: ")
		if !strings.HasSuffix(line, "imports") {
			break
		}
	}
	return cmp.Or(cause, err.Error())
}
