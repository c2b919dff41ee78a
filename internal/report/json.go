package report

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
)

// schemaVersion is the "schema" member of the json form. Members are only
// added while it stays; a member that changes its meaning raises it.
const schemaVersion = 1

// A fullFinding is a Finding that prints what it is about even when that is empty.
type fullFinding struct {
	Component string `json:"component"`
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Finding
}

func writeJSON(w io.Writer, r *Report) error {
	out := map[string]any{"schema": schemaVersion, "command": r.Command, "findings": r.Findings}
	if r.Findings == nil {
		out["findings"] = []Finding{}
	}
	if r.Full {
		full := make([]fullFinding, len(r.Findings))
		for i, f := range r.Findings {
			full[i] = fullFinding{f.Component, f.Path, f.Line, f}
		}
		out["findings"] = full
	}
	if len(r.Skipped) > 0 {
		out["skipped"] = r.Skipped
	}
	maps.Copy(out, r.Summary)
	return WriteJSON(w, out)
}

// WriteJSON writes indented JSON without escaping <, > and &. What CI systems
// would take for a command in their logs is spelled with an escape.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(runnerCommand.Get().ReplaceAll(b.Bytes(), []byte(`#\u0023$1[`)))
	return err
}
