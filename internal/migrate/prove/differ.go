package prove

import (
	"encoding/hex"
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

// differ is a difference, in whose text the actions of a template stand as they are written.
func differ(format string, args ...any) error {
	return &difference{text: maskedAction.ReplaceAllStringFunc(fmt.Sprintf(format, args...), func(mask string) string {
		mask = strings.Trim(mask, "Q_")
		action, _ := hex.DecodeString(mask[:len(mask)/2*2])
		return string(action)
	})}
}

// under puts a key before the path of a difference.
func under(key string, err error) error {
	var d *difference
	if errors.As(err, &d) {
		d.path = append(d.path, key)
	}
	return err
}
