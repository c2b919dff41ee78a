package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A Tag is a tag and what it represents now.
type Tag struct {
	Tag     string `json:"tag"`
	Digest  string `json:"digest,omitempty"`  // "sha256:..."; empty = not looked up, or no such tag
	Version string `json:"version,omitempty"` // of a release "v1.2.0": its own, or the one with the same digest
}

// A View is the image of one component as its registry has it.
type View struct {
	Component  string   `json:"component"`
	Repository string   `json:"repository"` // "quay.io/org/name"
	Stable     Tag      `json:"stable"`
	Dev        Tag      `json:"dev"`
	Highest    Tag      `json:"highest"`  // highest released version; pre-releases do not count; empty tag = none
	Releases   []string `json:"releases"` // tags of versions, highest first
	Odd        []string `json:"odd,omitempty"`

	component *stack.Component
	stable    string // the name of the stable tag; empty = there is none
}

// StableRules are the findings that Drift can have, DevRules those of a dev image,
// Rules both.
var (
	StableRules = report.Rules{
		{ID: "stable-behind", Severity: report.Error, Doc: "stable is the highest release"},
		{ID: "stable-missing", Severity: report.Error, Doc: "there is a stable tag once there is a release"},
		{ID: "stable-unknown", Severity: report.Error, Doc: "stable is a release at all"},
		devMissing,
		{ID: "release-missing", Severity: report.Warning, Doc: "there is a release"},
		{ID: "tag-misspelled", Severity: report.Warning, Doc: "tags that look like versions are versions"},
	}
	devMissing = report.Rule{ID: "dev-missing", Severity: report.Warning, Doc: "there is a dev tag"}
	devChecks  = report.Rules{
		{ID: "dev-behind", Severity: report.Error, Needs: "--dev", Doc: "dev is the image of the head of the branch that the component is released from"},
		{ID: "dev-unknown", Severity: report.Warning, Needs: "--dev", Doc: "dev shows which commit it was built from"},
	}
	DevRules = append(report.Rules{devMissing}, devChecks...)
	Rules    = slices.Concat(StableRules, devChecks)
)

// Look asks the registry of a component for the list of its tags and for what
// stable, dev and the highest release represent: four requests after the
// handshake, and one for each older release that stable is compared with when
// it is not the highest. A component without an image is an error.
func (g *Images) Look(ctx context.Context, c *stack.Component) (*View, error) {
	if c.Image.Repository == "" {
		return nil, fmt.Errorf("component %s has no image", c.Name)
	}
	v := &View{Component: c.Name, Repository: c.Image.Repository, component: c}
	if err := g.tags(ctx, v); err != nil {
		return nil, err
	}
	if err := g.lookHighest(ctx, v); err != nil {
		return nil, err
	}
	var err error
	if v.stable = g.stableTag(); v.stable != "" {
		if v.Stable, err = g.tag(ctx, v, v.stable); err != nil {
			return nil, err
		}
	}
	if v.Dev, err = g.tag(ctx, v, DevTag); err != nil {
		return nil, err
	}
	return v, g.identify(ctx, v)
}

// tags lists the repository's tags. A repository that is not there has none.
func (g *Images) tags(ctx context.Context, v *View) error {
	repo, err := name.NewRepository(v.Repository)
	if err != nil {
		return fmt.Errorf("image of %s: %w", v.Component, err)
	}
	puller, _, err := g.clients(ctx)
	if err != nil {
		return err
	}
	tags, err := puller.List(asking(ctx, repo.Registry), repo)
	if err = g.fail(v.Repository, err); err != nil && !errors.Is(err, wire.ErrNotFound) {
		return err
	}
	for _, tag := range tags {
		version, ok := v.component.VersionOfImageTag(tag)
		switch {
		case ok && semver.Prerelease(version) == "":
			v.Releases = append(v.Releases, tag)
		case !ok && looksLikeVersion(tag):
			v.Odd = append(v.Odd, tag)
		}
	}
	slices.SortFunc(v.Releases, func(a, b string) int { return semver.Compare(v.version(b), v.version(a)) })
	slices.Sort(v.Odd)
	return nil
}

// looksLikeVersion says whether a tag was meant to be a version and is none:
// "v.0.0.7", "vv0.14.1".
func looksLikeVersion(tag string) bool {
	rest := strings.TrimLeft(tag, "v.")
	return rest != tag && strings.HasPrefix(tag, "v") && versions.IsVersion("v"+rest) && "v"+rest != tag
}

func (v *View) version(tag string) string {
	version, _ := v.component.VersionOfImageTag(tag)
	return version
}

// lookHighest reads the manifest of the highest release, whose bytes must have
// the digest that the registry gives.
func (g *Images) lookHighest(ctx context.Context, v *View) error {
	if len(v.Releases) == 0 {
		return nil
	}
	tag := v.Releases[0]
	ref, err := name.NewTag(v.Repository + ":" + tag)
	if err != nil {
		return err
	}
	d, err := g.get(ctx, ref)
	if err != nil {
		return err
	}
	v.Highest = Tag{Tag: tag, Digest: d.Digest.String(), Version: v.version(tag)}
	return nil
}

// tag is a tag as it is now; without a digest when it is not there.
func (g *Images) tag(ctx context.Context, v *View, tag string) (Tag, error) {
	t, err := g.head(ctx, v.Repository+":"+tag)
	if errors.Is(err, wire.ErrNotFound) {
		return Tag{Tag: tag}, nil
	}
	return t, err
}

// stableTag is the name of the stable tag; empty = there is none.
func (g *Images) stableTag() string {
	switch g.Stable {
	case "":
		return defaultStable
	case "-":
		return ""
	}
	return g.Stable
}

// maxOlder bounds how many older releases stable is compared with.
const maxOlder = 25

// identify finds the release that stable is.
func (g *Images) identify(ctx context.Context, v *View) error {
	switch v.Stable.Digest {
	case "":
		return nil
	case v.Highest.Digest:
		v.Stable.Version = v.Highest.Version
		return nil
	}
	for i, tag := range v.Releases {
		if i == 0 {
			continue
		}
		if i > maxOlder {
			return nil
		}
		older, err := g.tag(ctx, v, tag)
		if err != nil {
			return err
		}
		if older.Digest == v.Stable.Digest {
			v.Stable.Version = v.version(tag)
			return nil
		}
	}
	return nil
}

// Drift is what is wrong with an image's tags.
func (v *View) Drift() []report.Finding {
	var found report.Pass
	say := func(rule, hint, format string, args ...any) *report.Finding {
		f := Rules.Finding(rule)
		f.Component, f.Hint = v.Component, hint
		return found.Report(f, "%s: %s", v.Repository, fmt.Sprintf(format, args...))
	}
	promote := "cfctl release images " + v.Component + " --promote"
	switch {
	case v.Highest.Tag == "":
		say("release-missing", "", "no release has a tag")
	case v.stable == "":
	case v.Stable.Digest == "":
		say("stable-missing", promote, "no tag %s; the highest release is %s", v.stable, v.Highest.Version)
	case v.Stable.Digest != v.Highest.Digest && v.Stable.Version != "":
		f := say("stable-behind", promote, "%s is %s, and %s is released", v.stable, v.Stable.Version, v.Highest.Version)
		f.Version, f.Expected, f.Actual = v.Stable.Version, v.Highest.Digest, v.Stable.Digest
	case v.Stable.Digest != v.Highest.Digest:
		f := say("stable-unknown", promote, "%s is %.19s, which is no release; the highest is %s", v.stable, v.Stable.Digest, v.Highest.Version)
		f.Expected, f.Actual = v.Highest.Digest, v.Stable.Digest
	}
	if v.Dev.Digest == "" {
		say("dev-missing", "", "no tag %s", DevTag)
	}
	for _, tag := range v.Odd {
		say("tag-misspelled", "", "tag %s looks like a version and is none", tag)
	}
	return found.Findings
}
