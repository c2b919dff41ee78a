package forge

import (
	"context"
	"time"
)

// A LabelReader is a forge whose pull requests have labels.
type LabelReader interface {
	// PullLabels are the labels of the closed pull requests that changed since
	// a time, by number; those without any are left out.
	PullLabels(ctx context.Context, repo string, since time.Time) (map[string][]string, error)
}
