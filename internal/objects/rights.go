package objects

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/report"
)

// An asker is a target that says beforehand what it would take.
type asker interface {
	// May asks whether a verb is permitted in a namespace; empty = in all, or
	// for a kind that has none. Why is the server's own word, and may be empty.
	May(ctx context.Context, r Resource, verb, namespace string) (permitted bool, why string, err error)
	// Try has an object checked as Create would have it, with nothing stored.
	// Its errors are those of Create.
	Try(ctx context.Context, r Resource, o Object) error
}

// A wish is what a plan would create of one kind.
type wish struct {
	res    Resource
	spaces map[string]bool
	sample Object // the first one
}

// wishes gather what a plan would create, by kind, in the order met.
type wishes struct{ list []*wish }

// add takes in an object; the first one of a kind is spelled out.
func (w *wishes) add(res Resource, ref Ref, object func() Object) {
	i := slices.IndexFunc(w.list, func(w *wish) bool { return w.res.APIVersion == ref.APIVersion && w.res.Kind == ref.Kind })
	if i < 0 {
		i = len(w.list)
		w.list = append(w.list, &wish{res: res, spaces: map[string]bool{}, sample: object()})
	}
	w.list[i].spaces[ref.Namespace] = true
}

// rights asks the target for what a plan needs: the right to create in each
// namespace, the right to delete what a rollback would take back, and whether
// it would take the first object of each kind.
func (w *wishes) rights(ctx context.Context, target Target) ([]report.Finding, error) {
	asker, ok := target.(asker)
	if !ok {
		return nil, nil
	}
	var list []report.Finding
	for _, wish := range w.list {
		denied, err := wish.denied(ctx, asker, "create")
		if err != nil {
			return list, err
		}
		if denied != nil {
			denied.Severity = report.Error
			list = append(list, *denied)
			continue
		}
		if kept, err := wish.denied(ctx, asker, "delete"); err != nil {
			return list, err
		} else if kept != nil {
			kept.Message += "; apply does not need it, rollback does"
			list = append(list, *kept)
		}
		tried, err := wish.try(ctx, asker)
		if err != nil {
			return list, err
		}
		list = append(list, tried...)
	}
	return list, nil
}

// denied is where a verb is not permitted, or nil.
func (w *wish) denied(ctx context.Context, asker asker, verb string) (*report.Finding, error) {
	everywhere, why, err := asker.May(ctx, w.res, verb, "")
	if err != nil || everywhere {
		return nil, err
	}
	var where []string
	for _, space := range slices.Sorted(maps.Keys(w.spaces)) {
		if space == "" {
			return w.forbidden(verb, nil, why), nil
		}
		permitted, said, err := asker.May(ctx, w.res, verb, space)
		if err != nil {
			return nil, err
		}
		if !permitted {
			where, why = append(where, space), said
		}
	}
	if len(where) == 0 {
		return nil, nil
	}
	return w.forbidden(verb, where, why), nil
}

func (w *wish) forbidden(verb string, where []string, why string) *report.Finding {
	const most = 5
	place, flag := "", ""
	if len(where) > 0 {
		flag = " --namespace " + where[0]
		place = " in " + strings.Join(where[:min(len(where), most)], ", ")
		if more := len(where) - most; more > 0 {
			place += fmt.Sprintf(" and %d more namespaces", more)
		}
	}
	message := fmt.Sprintf("this account may not %s %s%s", verb, w.res.Kind, place)
	if why != "" {
		message += ": " + why
	}
	name := w.res.Plural
	if group, _, found := strings.Cut(w.res.APIVersion, "/"); found {
		name += "." + group
	}
	return &report.Finding{Rule: "forbidden", Severity: report.Warning, Message: message, Hint: fmt.Sprintf("kubectl auth can-i %s %s%s", verb, name, flag)}
}

// try is what the target has against the first object.
func (w *wish) try(ctx context.Context, asker asker) ([]report.Finding, error) {
	err := asker.Try(ctx, w.res, w.sample)
	var refusal *Refusal
	switch {
	case err == nil, errors.Is(err, fs.ErrExist):
		return nil, nil // one that is there is the plan's own matter
	case errors.As(err, &refusal):
		return []report.Finding{{
			Rule: refusal.Reason, Severity: report.Error, Hint: refusal.Hint,
			Message: fmt.Sprintf("%s would not be taken (asked with dryRun=All for the first %s): %s", RefOf(w.sample), w.res.Kind, refusal.Message),
		}}, nil
	}
	return nil, fmt.Errorf("%s, dryRun=All: %w", RefOf(w.sample), err)
}
