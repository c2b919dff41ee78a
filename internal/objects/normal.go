package objects

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The annotations of created objects. They tie an object to its origin and to
// the ledger that created it, and never carry the origin itself.
const (
	annotationPrefix  = "import.codeflare.dev/"
	annotationLedger  = annotationPrefix + "ledger"
	annotationOrigin  = annotationPrefix + "origin-id"
	annotationName    = annotationPrefix + "origin-name" // where it is another
	annotationOwner   = annotationPrefix + "origin-owner-id"
	annotationVersion = annotationPrefix + "origin-resource-version"
	annotationMark    = annotationPrefix + "origin-digest"
	annotationRaw     = annotationPrefix + "origin-raw-digest"
)

// serverFields are the members of metadata that a server writes.
var serverFields = []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"}

// Normal is an object without what a server or cfctl writes into it: status,
// the server's metadata, UIDs of owners, import annotations, empty mappings of
// metadata. The object is not changed; parts may be shared.
func Normal(o Object) Object {
	n := maps.Clone(o)
	delete(n, "status")
	meta := maps.Clone(Map(o, "metadata"))
	for _, f := range serverFields {
		delete(meta, f)
	}
	if a := Map(meta, "annotations"); a != nil {
		a = maps.Clone(a)
		maps.DeleteFunc(a, func(k string, _ any) bool { return strings.HasPrefix(k, annotationPrefix) })
		meta["annotations"] = a
	}
	if owners := List(meta, "ownerReferences"); len(owners) > 0 {
		meta["ownerReferences"] = ownersWithoutUID(owners)
	}
	for k, v := range meta {
		if empty(v) {
			delete(meta, k)
		}
	}
	n["metadata"] = meta
	return n
}

func ownersWithoutUID(owners []any) []any {
	plain := make([]any, len(owners))
	for i, o := range owners {
		plain[i] = o
		if m, ok := o.(map[string]any); ok {
			m = maps.Clone(m)
			delete(m, "uid")
			plain[i] = m
		}
	}
	return plain
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// Digest is a short digest of a value: equal for values that are equal as
// JSON, whatever the order of keys and the spelling of numbers.
func Digest(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // an Object holds only what JSON can say
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12])
}

// fingerprint is one short digest per leaf of a value, by its path. It tells
// which fields of an object changed without keeping the object.
func fingerprint(v any) map[string]string {
	fields := map[string]string{}
	leaves("", v, func(path string, leaf any) { fields[path] = Digest(leaf)[:8] })
	return fields
}

// leaves calls f for every scalar, and every empty mapping or list.
func leaves(path string, v any, f func(string, any)) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			leaves(join(path, k), x, f)
		}
		if len(v) > 0 {
			return
		}
	case []any:
		for i, x := range v {
			leaves(fmt.Sprintf("%s[%d]", path, i), x, f)
		}
		if len(v) > 0 {
			return
		}
	}
	f(path, v)
}

func join(path, key string) string {
	if strings.ContainsAny(key, ".[") {
		key = strconv.Quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// changed lists the paths in which two fingerprints differ, sorted.
func changed(before, now map[string]string) []string {
	var paths []string
	for p, d := range now {
		if before[p] != d {
			paths = append(paths, p)
		}
	}
	for p := range before {
		if _, ok := now[p]; !ok {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}

// A difference is one field in which two objects are not the same.
type difference struct {
	Path       string
	Want, Have any // nil = not there
}

func (d difference) String() string {
	switch {
	case d.Have == nil:
		return fmt.Sprintf("%s: want %s, is not there", d.Path, brief(d.Want))
	case d.Want == nil:
		return fmt.Sprintf("%s: has %s, not wanted", d.Path, brief(d.Have))
	}
	want, have := d.Want, d.Have
	if w, ok := want.(string); ok {
		if h, ok := have.(string); ok {
			want, have = apart(w, h)
		}
	}
	return fmt.Sprintf("%s: want %s, has %s", d.Path, brief(want), brief(have))
}

// apart leaves out the lines that two texts begin with in common.
func apart(a, b string) (string, string) {
	for {
		line, rest, more := strings.Cut(a, "\n")
		other, tail, too := strings.Cut(b, "\n")
		if line != other || !more || !too || rest == "" || tail == "" {
			return a, b
		}
		a, b = rest, tail
	}
}

// brief spells a value in at most 60 characters.
func brief(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	if r := []rune(string(data)); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return string(data)
}

// differences compares the normal forms of two objects, sorted by path. When
// exact is false, mapping entries that only have holds are no difference: a
// server adds defaults.
func differences(want, have Object, exact bool) []difference {
	list := compare("", Normal(want), Normal(have), exact)
	slices.SortFunc(list, func(a, b difference) int { return strings.Compare(a.Path, b.Path) })
	return list
}

func compare(path string, want, have any, exact bool) (list []difference) {
	wm, ok1 := want.(map[string]any)
	hm, ok2 := have.(map[string]any)
	if ok1 && ok2 {
		for _, k := range slices.Sorted(maps.Keys(wm)) {
			if h, ok := hm[k]; ok {
				list = append(list, compare(join(path, k), wm[k], h, exact)...)
			} else if wm[k] != nil { // that it is there may mean something, though it is empty
				list = append(list, difference{join(path, k), wm[k], nil})
			}
		}
		for _, k := range slices.Sorted(maps.Keys(hm)) {
			if _, ok := wm[k]; !ok && exact && hm[k] != nil {
				list = append(list, difference{join(path, k), nil, hm[k]})
			}
		}
		return list
	}
	wl, ok1 := want.([]any)
	hl, ok2 := have.([]any)
	if ok1 && ok2 && len(wl) == len(hl) {
		for i := range wl {
			list = append(list, compare(fmt.Sprintf("%s[%d]", path, i), wl[i], hl[i], exact)...)
		}
		return list
	}
	if Digest(want) != Digest(have) {
		list = append(list, difference{path, want, have})
	}
	return list
}

// Size is the length of a value as compact JSON, in bytes.
func Size(v any) int {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // an Object holds only what JSON can say
	}
	return len(data)
}
