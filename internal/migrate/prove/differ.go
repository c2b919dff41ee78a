package prove

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A difference says where two values differ in a way that no rule explains.
type difference struct {
	path []string // from the inside out
	text string
}

func (d *difference) Error() string {
	path := slices.Clone(d.path)
	slices.Reverse(path)
	if len(path) == 0 {
		return d.text
	}
	return strings.Join(path, ".") + ": " + d.text
}

func differ(format string, args ...any) error {
	return &difference{text: fmt.Sprintf(format, args...)}
}

// under puts a key before the path of a difference.
func under(key string, err error) error {
	var d *difference
	if errors.As(err, &d) {
		d.path = append(d.path, key)
	}
	return err
}
