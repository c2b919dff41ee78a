package report

import (
	"encoding/json"
	"io"
	"maps"
)

// schemaVersion is the "schema" member of the json form. Members are only
// added while it stays; a member that changes its meaning raises it.
const schemaVersion = 1

func writeJSON(w io.Writer, r *Report) error {
	out := map[string]any{"schema": schemaVersion, "command": r.Command, "findings": r.Findings}
	if r.Findings == nil {
		out["findings"] = []Finding{}
	}
	if len(r.Skipped) > 0 {
		out["skipped"] = r.Skipped
	}
	maps.Copy(out, r.Summary)
	return encode(w, out)
}

// encode writes indented JSON without escaping <, > and &.
func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
