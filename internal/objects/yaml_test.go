package objects

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestManifestRoundTrip: whatever text an object holds, its manifest gives it
// back, wherever it is.
func TestManifestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"\n", " ", "\n\n", "  ", "\t", "a", "- b", "# c", "x: y", "\r\n", "日本", "|", ">", "'", "\"", "\\", "yes", "{}", "---", "...", "\u0085", "\u2028", "0x1", "~", "\ufeff", "\U0001f600", "<<", "="}
	for range 1_500 {
		var b strings.Builder
		for range r.IntN(7) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		text := b.String()
		want := Object{"apiVersion": "v1", "kind": "Thing", "keys": Object{text: Object{"a": nil}, text + "b": "<<"}, "args": []any{"-c", text, []any{text}}, "data": Object{"k": text, "z": int64(1)}}
		data, err := Manifest(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(data)
		if err != nil {
			t.Fatalf("%q: %v\n%s", text, err, data)
		}
		if Digest(got) != Digest(want) {
			t.Fatalf("%q became\n%s", text, data)
		}
	}
}

// TestScalars: a plain scalar is what the API server takes it for, but for y and n,
// which people have as names.
func TestScalars(t *testing.T) {
	for text, want := range map[string]any{"y": "y", "No": false, "off": false, "yEs": "yEs", `"y"`: "y", "2024-01-02": "2024-01-02", "0o17": int64(15), "!!binary aGVsbG8=": "hello", "~": nil} {
		if got, err := Parse([]byte("a: " + text)); err != nil || got.(map[string]any)["a"] != want {
			t.Errorf("%s is %v, want %v: %v", text, got, want, err)
		}
	}
}

// TestDeepManifestIsSmall: a manifest of thousands of levels is as large as what is in
// it, and is read back as it was.
func TestDeepManifestIsSmall(t *testing.T) {
	var value any = "two\nlines: of text"
	for i := range 4000 {
		if value = map[string]any{"a": value, "b": int64(i)}; i%2 == 0 {
			value = []any{value, "yes"}
		}
	}
	want := Object{"kind": "Thing", "spec": value}
	data, err := Manifest(want)
	if err != nil || len(data) > 1<<20 {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	got, err := Parse(data)
	if err != nil || Digest(got) != Digest(want) {
		t.Errorf("read back: %v", err)
	}
}

// TestKeyTwice: a key that is there twice is an error in JSON as it is in YAML.
func TestKeyTwice(t *testing.T) {
	for _, text := range []string{`{"a": {"b": 1, "b": 2}}`, "a: {b: 1, b: 2}\n"} {
		if v, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s: %v", text, v)
		}
	}
	if v, err := decodeJSON([]byte(`[{"b": 1}, {"b": 1}]`)); err != nil {
		t.Errorf("%v, %v", v, err)
	}
	if v, err := decodeJSON([]byte(`{"a": [{"b": 1, "b": 1}]}`)); err == nil {
		t.Errorf("%v", v)
	}
}

// TestMergeKeys: a merge key is followed, as kubectl follows it, and is text where it is
// quoted.
func TestMergeKeys(t *testing.T) {
	for text, want := range map[string]any{
		"b: &b {a: 1, z: 2}\nc: {<<: *b, z: 3}\n":    map[string]any{"b": map[string]any{"a": 1, "z": 2}, "c": map[string]any{"a": 1, "z": 3}},
		"b: &b {a: 1, z: 2}\nc:\n  z: 3\n  <<: *b\n": map[string]any{"b": map[string]any{"a": 1, "z": 2}, "c": map[string]any{"a": 1, "z": 3}},
		"c: {<<: [{a: 1}, {a: 2, b: 2}]}\n":          map[string]any{"c": map[string]any{"a": 1, "b": 2}},
		"c: {\"<<\": {a: yes}, n: n}\n":              map[string]any{"c": map[string]any{"<<": map[string]any{"a": true}, "n": "n"}},
		"{\"c\": {\"<<\": {\"a\": \"y\"}}}\n":        map[string]any{"c": map[string]any{"<<": map[string]any{"a": "y"}}},
	} {
		if got, err := Parse([]byte(text)); err != nil || Digest(got) != Digest(want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
