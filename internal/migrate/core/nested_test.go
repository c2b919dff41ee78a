package core

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
)

// TestGroupsBuiltOfShorterOnes has a group that is built of another one of the rules: both need
// review, in whatever file it is.
func TestGroupsBuiltOfShorterOnes(t *testing.T) {
	c := testCore(t, "name: n\nrules:\n- {id: a, from: {group: example.com}, to: {group: short.example.org}}\n- {id: b, from: {group: jobs.example.com}, to: {group: work.example.org}}\n", Options{})
	for name, text := range map[string][]string{
		"a.go":         {"package a\n\nconst Base = \"example.com\"\n", "package a\n\nconst G = \"jobs.\" + Base\n", "package a\n\nvar g = fmt.Sprintf(\"jobs.%s\", a.Base)\n"},
		"a.py":         {"BASE = \"example.com\"\n", "G = \"jobs.\" + BASE\n", "G = f\"jobs.{BASE}\"\n", "G = \"jobs.{}\".format(c.BASE)\n"},
		"a.sh":         {"BASE=example.com\n", "kubectl get x.jobs.$BASE\n", "G=jobs.${BASE}\n"},
		"Makefile":     {"BASE ?= example.com\n", "G = jobs.$(BASE)\n"},
		"a.tf":         {"locals {\n  base = \"example.com\"\n}\n", "  g = \"jobs.${local.base}\"\n"},
		"a.ts":         {"const base = \"example.com\";\n", "const g = `jobs.${base}`;\n"},
		"values.yaml":  {"base: example.com\n", "apiVersion: jobs.{{ .Values.base }}/v1\n", "apiVersion: jobs.{{- .Values.base -}}/v1\n"},
		"x/Dockerfile": {"ARG BASE=example.com\n", "ENV G=jobs.${BASE}\n"},
	} {
		for _, use := range text[1:] {
			files := []*File{c.Read(name, []byte(text[0])), c.Read("other/"+name, []byte(use))}
			if !c.Concerns("other/"+name, []byte(use)) || files[1].Empty() {
				t.Errorf("%s is not read: %s", name, use)
			}
			c.Resolve(files, nil, nil)
			for i, f := range files {
				if list := f.Sites; len(list) != 1 || list[0].Action() != judge.Review || list[0].ID() != "built-key" || list[0].Pos.Line == 0 {
					t.Errorf("%s, %d: of %q: %+v", name, i, use, list)
				}
			}
		}
	}
}
