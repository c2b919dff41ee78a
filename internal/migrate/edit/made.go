package edit

import "github.com/project-codeflare/cfctl/internal/source"

// Made is an outcome of the new core.
func (o Outcome) Made(a Action, edits []source.Edit) Outcome {
	o.action, o.edits = a, edits
	return o
}
