package core

import (
	"testing"
)

// A reference that has the new name of a kind already is in no report.
func TestNewKindsAreNotListed(t *testing.T) {
	c := testCore(t, "name: one\nrules: [{id: one, from: {group: a.example.com, kind: Fig, plural: figs}, to: {kind: Plum}}]\n", Options{})
	for text, sites := range map[string]int{
		"apiVersion: a.example.com/v1\nkind: Plum\n":                                0,
		"apiVersion: a.example.com/v1\nkind: PlumList\n":                            0,
		"rules:\n- apiGroups: [a.example.com]\n  resources: [plums]\n  verbs: []\n": 0,
		"apiVersion: a.example.com/v1\nkind: Pear\n":                                1,
		"kind: Plum\napiVersion: a.example.com/v1\n---\nx: a.example.com/v1\n":      1,
		"rules:\n- apiGroups: [a.example.com]\n  resources: [pears]\n  verbs: []\n": 1,
	} {
		f := c.Read("a.yaml", []byte(text))
		c.Resolve([]*File{f}, nil, func(*File, string) ([]byte, bool) { return nil, false })
		if len(f.Sites) != sites {
			t.Errorf("%q: %v", text, f.Sites)
		}
	}
}
