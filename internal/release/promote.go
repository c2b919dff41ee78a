package release

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/train"
)

// Promote makes a train one that takes a pre-release of the version as it is: components
// are tagged at the same commits, and get the same images, by digest. The root has the
// versions in its files, and gets a PR and an image of its own, as before; so do components
// that a workflow tags. of is the pre-release; empty = there is none.
func (t *Train) Promote(of string) error {
	switch {
	case of == "":
		return nil
	case semver.Prerelease(of) == "" || strings.TrimSuffix(of, semver.Prerelease(of)) != t.Version:
		return fmt.Errorf("release %s cannot promote %s, which is no pre-release of it", t.Version, of)
	}
	t.promotes = of
	t.compiled.Store(nil)
	return nil
}

// promoted is what the pre-release that is promoted has of a step, by a fact; empty = none
// is, or the step is of the root.
func (v *View) promoted(ctx context.Context, step, fact string) (string, error) {
	of, root := v.train.promotes, v.train.root()
	if of == "" || step == stepOf("tag", root) || step == stepOf("built", root) {
		return "", nil
	}
	rs, err := v.journalOf(ctx, of)
	if err != nil {
		return "", err
	}
	rs = rs.Epoch()
	if rs.Last("", train.KindEnd) == nil {
		return "", fmt.Errorf("release %s promotes %s, which is not complete, by its journal", v.train.Version, of)
	}
	if r := rs.Last(step, recDone, recAssert); r != nil {
		return r.Facts[fact], nil
	}
	return "", nil
}
