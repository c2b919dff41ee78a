package objects

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/project-codeflare/cfctl/internal/report"
)

// A trier is a target that says beforehand what it would take.
type trier interface {
	// Try has an object checked as Create would have it, with nothing stored.
	// Its errors are those of Create.
	Try(ctx context.Context, r Resource, o Object) error
}

// trials are the first object of each kind that a plan would create, in the
// order met.
type trials []trial

type trial struct {
	res    Resource
	object Object
}

// add takes in an object, which is only made when it is the first of its kind.
func (t *trials) add(res Resource, object func() Object) {
	same := func(other trial) bool { return other.res.APIVersion == res.APIVersion && other.res.Kind == res.Kind }
	if !slices.ContainsFunc(*t, same) {
		*t = append(*t, trial{res, object()})
	}
}

// refusals are what the target has against the objects: their form, or that this
// account may not create them.
func (t trials) refusals(ctx context.Context, target Target) ([]report.Finding, error) {
	trier, ok := target.(trier)
	if !ok {
		return nil, nil
	}
	var list []report.Finding
	for _, first := range t {
		ref := RefOf(first.object)
		err := trier.Try(ctx, first.res, first.object)
		var refusal *Refusal
		switch {
		case err == nil, errors.Is(err, fs.ErrExist): // one that is there is the plan's own matter
		case errors.As(err, &refusal):
			list = append(list, report.Finding{
				Rule: refusal.Reason, Severity: report.Error, Hint: refusal.Hint,
				Message: fmt.Sprintf("%s would not be taken (asked with dryRun=All for the first %s): %s", ref, ref.Kind, refusal.Message),
			})
		default:
			return list, fmt.Errorf("%s, dryRun=All: %w", ref, err)
		}
	}
	return list, nil
}
