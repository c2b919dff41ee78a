package release

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// asking are the checks of the preflight that a forge or a registry answers.
var asking = []string{"token-scope", "token-own", "repository", "branch-protection", "image-missing", "image-exists", "announcement"}

// PlanOffline is Plan without a forge and a registry: what a release would do
// if nothing of it were done beyond what the clones show. What cannot be determined
// without a clone is blocked, and what the forge or a registry knows is not
// looked for by the preflight.
func PlanOffline(ctx context.Context, t *steps.Train, env *Env) (*train.Result, error) {
	on := On(t, env)
	on.World.Preflight = func(ctx context.Context, v *steps.View) ([]report.Finding, error) {
		p := &preflight{View: v}
		for i, c := range checks {
			if slices.Contains(asking, c.ID) {
				continue
			}
			if err := report.Run(ctx, checks[i:i+1], p, nil); err != nil && !errors.Is(err, wire.ErrNotFound) {
				return p.Findings, fmt.Errorf("preflight %s: %w", c.ID, err)
			}
		}
		return p.Findings, nil
	}
	r, err := on.Plan(ctx, &env.Env)
	if err != nil {
		return r, err
	}
	for i := range r.Steps {
		if s := &r.Steps[i]; errors.Is(s.Err, wire.ErrNotFound) {
			s.State, s.Err, s.Text = train.Blocked, nil, "not known offline: "+s.Err.Error()
		}
	}
	return r, nil
}
