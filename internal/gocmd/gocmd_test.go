package gocmd

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// module makes a folder with a module.
func module(t *testing.T, mod string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": mod, "a.go": "package a\n\nvar A = 1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
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
		{name: "GOFLAGS say where modules are", mod: plain, imports: []string{"io/fs"}, env: [2]string{"GOFLAGS", "-mod=vendor"}, want: 1},
		{name: "no package was compiled", mod: plain, imports: []string{"io/fs"}, env: [2]string{"GOCACHE", "EMPTY"}},
		{name: "a broken module", mod: "module", imports: []string{"io/fs"}},
		{name: "another Go", mod: "module example.com/a\n\ngo 1.9999\n", imports: []string{"io/fs"}},
		{name: "no Go", mod: plain, imports: []string{"io/fs"}, env: [2]string{"PATH", "EMPTY"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			dir := module(t, x.mod)
			if x.env[0] != "" {
				t.Setenv(x.env[0], strings.Replace(x.env[1], "EMPTY", t.TempDir(), 1))
			}
			p := Compiled(context.Background(), dir, map[string][]string{".": x.imports})
			if p.Len() != x.want || p.Asked != len(x.imports) {
				t.Errorf("%d of %d packages, want %d of %d", p.Len(), p.Asked, x.want, len(x.imports))
			}
			if files, _ := os.ReadDir(dir); len(files) != 2 {
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

// A module that is not on this machine is not asked for on the network.
func TestCompiledIsOffline(t *testing.T) {
	var asked atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		http.NotFound(w, nil)
	}))
	defer proxy.Close()
	t.Setenv("GOPROXY", proxy.URL)
	t.Setenv("GONOSUMDB", "*")
	t.Setenv("GOFLAGS", "-mod=mod")
	dir := module(t, plain+"\nrequire example.org/none v1.0.0\n")
	const sum = "example.org/none v1.0.0 h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\nexample.org/none v1.0.0/go.mod h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), []byte(sum), 0o600); err != nil {
		t.Fatal(err)
	}
	p := Compiled(context.Background(), dir, map[string][]string{".": {"example.org/none", "example.org/other"}})
	if p.Len() > 0 || asked.Load() > 0 {
		t.Errorf("%d packages, %d requests", p.Len(), asked.Load())
	}
}
