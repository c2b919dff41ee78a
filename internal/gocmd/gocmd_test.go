package gocmd

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// module makes a folder with a module.
func module(t *testing.T, mod string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

const plain = "module example.com/a\n\ngo 1.24\n"

func TestCompiledPackages(t *testing.T) {
	if out, err := exec.CommandContext(t.Context(), "go", "build", "io/fs", "errors").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, x := range []struct {
		name    string
		mod     string
		imports []string
		env     [2]string
		want    int
	}{
		{name: "one is compiled, one is not to be had", mod: plain, imports: []string{"example.org/none", "io/fs"}, want: 1},
		{name: "names that are flags or files", mod: plain, imports: []string{"-toolexec=touch x", "../x", "io/fs"}, want: 1},
		{name: "nothing is imported", mod: plain},
		{name: "no package was compiled", mod: plain, imports: []string{"io/fs"}, env: [2]string{"GOCACHE", "EMPTY"}},
		{name: "a broken module", mod: "module", imports: []string{"io/fs"}},
		{name: "another Go", mod: "module example.com/a\n\ngo 1.9999\n", imports: []string{"io/fs"}},
		{name: "no Go", mod: plain, imports: []string{"io/fs"}, env: [2]string{"PATH", "EMPTY"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			dir := module(t, x.mod)
			if x.env[0] != "" {
				t.Setenv(x.env[0], t.TempDir())
			}
			p := Compiled(context.Background(), dir, map[string][]string{".": x.imports})
			if p.Len() != x.want || p.Asked != len(x.imports) {
				t.Errorf("%d of %d packages, want %d of %d", p.Len(), p.Asked, x.want, len(x.imports))
			}
			if files, _ := os.ReadDir(dir); len(files) != 1 {
				t.Errorf("the module has the files %v", files)
			}
			if x.want == 0 {
				return
			}
			fs, err := p.Import("io/fs")
			if err != nil || fs.Scope().Lookup("DirEntry") == nil {
				t.Errorf("io/fs has no DirEntry: %v", err)
			}
			if _, err := p.Import("example.org/none"); err == nil {
				t.Error("a package that is not to be had was imported")
			}
		})
	}
}

// A module is asked for a package that another one has already.
func TestCompiledOfTwoModules(t *testing.T) {
	if out, err := exec.CommandContext(t.Context(), "go", "build", "io/fs", "errors").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	dir := module(t, plain)
	for name, mod := range map[string]string{"b": "module example.com/b\n", "broken": "module"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "go.mod"), []byte(mod), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := Compiled(context.Background(), dir, map[string][]string{".": {"io/fs"}, "b": {"errors", "io/fs"}, "broken": {"io/fs", "time"}})
	if p.Asked != 3 || p.Len() != 2 {
		t.Errorf("%d of %d packages, want 2 of 3", p.Len(), p.Asked)
	}
}
