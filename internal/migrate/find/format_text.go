package find

import (
	"bytes"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// text reads text of no known kind.
func (a *analysis) text(v *text.View) {
	if a.reference(v) {
		return
	}
	if looksYAML(v.Data) && !bytes.Contains(v.Data, []byte("</")) {
		a.yaml(v, true)
		return
	}
	a.prose(v, InCode)
}
