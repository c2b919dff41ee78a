package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A Dev is the dev image of a component next to the branch that it is built from:
// PCF-ADR-0003, "updated every time a new PR is merged into the main branch".
type Dev struct {
	Component  string    `json:"component"`
	Repository string    `json:"repository"`
	Digest     string    `json:"digest,omitempty"`   // of the tag dev; empty = no such tag
	Created    time.Time `json:"created,omitzero"`   // as the image says; zero = it does not
	Revision   string    `json:"revision,omitempty"` // commit that it was built from, by its label; empty = it does not say
	Branch     string    `json:"branch"`
	Head       string    `json:"head"`  // of the branch
	State      DevState  `json:"state"` // whether it is the image of the head
	Tag        string    `json:"tag,omitempty"`
}

// A DevState says whether dev is the image of the head of its branch.
type DevState string

// The states of dev.
const (
	DevCurrent DevState = "current"
	DevBehind  DevState = "behind"
	DevUnknown DevState = "unknown" // neither its label nor a tag says so
	DevMissing DevState = "missing"
)

// LookDev compares the dev image of a component with the head of a branch: by the
// label of its revision, else by the digest of a tag that is named after the commit.
func (g *Images) LookDev(ctx context.Context, c *stack.Component, branch, head string) (*Dev, error) {
	d := &Dev{Component: c.Name, Repository: c.Image.Repository, Branch: branch, Head: head, State: DevMissing}
	tag, err := g.head(ctx, d.Repository+":"+DevTag)
	if errors.Is(err, wire.ErrNotFound) {
		return d, nil
	}
	if err != nil {
		return nil, err
	}
	d.Digest, d.State = tag.Digest, DevUnknown
	config, err := g.config(ctx, d.Repository, d.Digest)
	if err != nil {
		return nil, err
	}
	if config != nil {
		d.Revision = config.Config.Labels[RevisionLabel]
		if config.Created.Unix() > 0 { // images that are built reproducibly have none
			d.Created = config.Created.UTC()
		}
	}
	if d.Revision != "" {
		d.compare(strings.HasPrefix(head, d.Revision) && len(d.Revision) >= shortHash)
		return d, nil
	}
	return d, g.byTag(ctx, d)
}

func (d *Dev) compare(same bool) {
	d.State = DevBehind
	if same {
		d.State = DevCurrent
	}
}

// shortHash is the length of the shortest hash that stands for a commit, as in git.
const shortHash = 7

var hexWord = lazyregexp.New(`[0-9a-f]{7,64}`)

// byTag compares dev with the tag that is named after the head: "main-1a2b3c4".
func (g *Images) byTag(ctx context.Context, d *Dev) error {
	repo, err := name.NewRepository(d.Repository)
	if err != nil {
		return fmt.Errorf("image of %s: %w", d.Component, err)
	}
	puller, _, err := g.clients(ctx)
	if err != nil {
		return err
	}
	tags, err := puller.List(asking(ctx, repo.Registry), repo)
	if err != nil {
		return g.fail(d.Repository, err)
	}
	for _, tag := range tags {
		if word := hexWord.Get().FindString(tag); word != "" && strings.HasPrefix(d.Head, word) {
			t, err := g.head(ctx, d.Repository+":"+tag)
			if err != nil {
				return err
			}
			d.Tag = tag
			d.compare(t.Digest == d.Digest)
			return nil
		}
	}
	return nil
}

// Findings are what is wrong with a dev image.
func (d *Dev) Findings() []report.Finding {
	var found report.Pass
	say := func(rule, hint, format string, args ...any) {
		f := Rules.Finding(rule)
		f.Component, f.Hint = d.Component, hint
		f.Expected, f.Actual = d.Head, d.Revision
		found.Report(f, "%s: %s", d.Repository, fmt.Sprintf(format, args...))
	}
	rebuild := "run the workflow that builds " + DevTag + " on " + d.Branch + " again"
	switch {
	case d.State == DevMissing:
		say("dev-missing", "", "no tag %s", DevTag)
	case d.State == DevUnknown:
		say("dev-unknown", "build the image with the label "+RevisionLabel, "%s does not show which commit it was built from", DevTag)
	case d.State == DevBehind && d.Revision != "":
		say("dev-behind", rebuild, "%s was built from %.7s, and %s is at %.7s", DevTag, d.Revision, d.Branch, d.Head)
	case d.State == DevBehind:
		say("dev-behind", rebuild, "%s is not %s, the image of %s at %.7s", DevTag, d.Tag, d.Branch, d.Head)
	}
	return found.Findings
}
