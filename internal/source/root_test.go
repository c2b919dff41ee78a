package source

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

// openTestRoot is a Root on a new folder that lies next to a file of another user.
func openTestRoot(t *testing.T) (r *Root, dir, secret string) {
	t.Helper()
	top := t.TempDir()
	dir, secret = filepath.Join(top, "tree"), filepath.Join(top, "secret")
	if err := os.WriteFile(secret, []byte("SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := MakeRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r, dir, secret
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

func TestRootIsAFileSystem(t *testing.T) {
	r, dir, _ := openTestRoot(t)
	for _, name := range []string{"a.yaml", "b/c.yaml", "b/d/e.yaml"} {
		if err := r.Write(name, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link(t, "a.yaml", filepath.Join(dir, "same.yaml"))
	if err := fstest.TestFS(r.FS(), "a.yaml", "b/c.yaml", "b/d/e.yaml"); err != nil {
		t.Error(err)
	}
	if data, err := fs.ReadFile(r.FS(), "same.yaml"); err != nil || string(data) != "a.yaml" {
		t.Errorf("a link inside of the folder reads %q, %v", data, err)
	}
}

// Git's own folder holds credentials: nothing of it is read, through a link neither.
func TestRootReadsNothingOfGit(t *testing.T) {
	r, dir, _ := openTestRoot(t)
	if err := os.MkdirAll(filepath.Join(dir, "sub", ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sub", ".git", "config"), []byte("SECRET"), 0o644); err != nil {
		t.Fatal(err)
	}
	link(t, "sub/.git/config", filepath.Join(dir, "file"))
	link(t, "../sub/.git", filepath.Join(dir, "links", "folder"))
	for _, name := range []string{"sub/.git/config", "file", "links/folder/config", "sub/.git"} {
		if _, err := r.FS().Open(name); !errors.Is(err, errGitFolder) {
			t.Errorf("%s: %v", name, err)
		}
		if data, err := fs.ReadFile(r.FS(), name); !errors.Is(err, errGitFolder) || len(data) > 0 {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}

// TestRootReadsNothingOutside reads through every way out that a tree can hold.
func TestRootReadsNothingOutside(t *testing.T) {
	r, dir, secret := openTestRoot(t)
	link(t, secret, filepath.Join(dir, "absolute"))
	link(t, "../secret", filepath.Join(dir, "relative"))
	link(t, "..", filepath.Join(dir, "up"))
	link(t, "loop", filepath.Join(dir, "loop"))
	for _, name := range []string{"absolute", "relative", "up/secret", "../secret", secret, "x/../../secret", "loop", "", "./a"} {
		for how, read := range map[string]func() ([]byte, error){
			"ReadFile":    func() ([]byte, error) { return r.ReadFile(name) },
			"fs.ReadFile": func() ([]byte, error) { return fs.ReadFile(r.FS(), name) },
			"Open": func() ([]byte, error) {
				f, err := r.FS().Open(name)
				if err != nil {
					return nil, err
				}
				defer f.Close()
				return io.ReadAll(f)
			},
			"OpenFile": func() ([]byte, error) {
				f, err := r.OpenFile(name, os.O_RDWR, 0)
				if err != nil {
					return nil, err
				}
				defer f.Close()
				return io.ReadAll(f)
			},
		} {
			if data, err := read(); err == nil {
				t.Errorf("%s of %q reads %q", how, name, data)
			}
		}
	}
}

func TestRootReadsNoDevicePipeOrGiant(t *testing.T) {
	r, dir, _ := openTestRoot(t)
	giant := filepath.Join(dir, "giant")
	if err := os.WriteFile(giant, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(giant, MaxFile+1); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadFile("giant"); !errors.Is(err, errTooLarge) {
		t.Errorf("a giant: %v", err)
	}
	if _, err := ReadFile(giant); !errors.Is(err, errTooLarge) {
		t.Errorf("a giant that a person named: %v", err)
	}
	if runtime.GOOS != "linux" {
		return
	}
	if _, err := ReadFile("/dev/zero"); !errors.Is(err, errTooLarge) {
		t.Errorf("a device that a person named: %v", err)
	}
	makePipe(t, filepath.Join(dir, "pipe"))
	for _, open := range []func() error{
		func() error { _, err := r.ReadFile("pipe"); return err },
		func() error { _, err := r.FS().Open("pipe"); return err },
		func() error { _, err := r.OpenFile("pipe", os.O_RDWR, 0); return err },
		func() error { return r.Write("pipe", nil, 0o644) },
	} {
		if err := open(); !errors.Is(err, errNotRegular) {
			t.Errorf("a pipe: %v", err)
		}
	}
}

// TestRootWritesNothingOutside writes through every way out.
func TestRootWritesNothingOutside(t *testing.T) {
	r, dir, secret := openTestRoot(t)
	outside := filepath.Dir(dir)
	link(t, secret, filepath.Join(dir, "file"))
	link(t, outside, filepath.Join(dir, "folder"))
	link(t, "../new", filepath.Join(dir, "dangling"))
	if err := os.Mkdir(filepath.Join(dir, "inside"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, "inside", filepath.Join(dir, "alias"))
	for _, name := range []string{
		"file", "folder/secret", "folder/new", "dangling", "../secret", "../new", "a/../../new", secret, outside + "/new", "..", ".", "", "/",
		"alias/new", "inside",
	} {
		for how, write := range map[string]func() error{
			"Write":  func() error { return r.Write(name, []byte("x"), 0o644) },
			"Create": func() error { return r.Create(name, []byte("x"), 0o644) },
			"OpenFile": func() error {
				f, err := r.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
				if err == nil {
					_ = f.Close()
				}
				return err
			},
		} {
			if how == "OpenFile" && name == "alias/new" {
				continue // below: its folders are made like the others'
			}
			if err := write(); err == nil {
				t.Errorf("%s of %q goes through", how, name)
			}
		}
	}
	if _, err := r.Append("alias/new", 0o644); err == nil {
		t.Error("Append goes through a link to a folder")
	}
	if err := r.MakeDir("folder/new"); err == nil {
		t.Error("MakeDir goes through a link")
	}
	if data, err := os.ReadFile(secret); err != nil || string(data) != "SECRET" {
		t.Errorf("the secret is %q, %v", data, err)
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 2 {
		t.Errorf("there are new files outside: %v", entries)
	}
}

func TestRootWritesWholeFiles(t *testing.T) {
	r, dir, _ := openTestRoot(t)
	if err := r.Create("a/b/new", []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.Create("a/b/new", []byte("two"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a taken name: %v", err)
	}
	if data, _ := r.ReadFile("a/b/new"); string(data) != "one" {
		t.Errorf("a taken name holds %q", data)
	}
	if err := r.Write("a/b/new", []byte("three"), 0o644); err != nil {
		t.Fatal(err)
	}
	if data, _ := r.ReadFile("a/b/new"); string(data) != "three" {
		t.Errorf("after Write it holds %q", data)
	}
	f, err := r.Append("a/b/new", 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("+"); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if data, _ := r.ReadFile("a/b/new"); string(data) != "three+" {
		t.Errorf("after Append it holds %q", data)
	}
	long := strings.Repeat("n", 250) + ".yaml"
	if err := r.Write(long, nil, 0o644); err != nil {
		t.Errorf("a long name: %v", err)
	}
	if err := r.Remove("a/b/new"); err != nil {
		t.Error(err)
	}
	if err := r.Remove("a/b/new"); err != nil {
		t.Errorf("gone already: %v", err)
	}
	_ = filepath.WalkDir(dir, func(name string, _ fs.DirEntry, _ error) error {
		if strings.Contains(name, "cfctl-tmp") {
			t.Errorf("%s was left", name)
		}
		return nil
	})
}

func TestNamedFiles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "deep", "out.json")
	if err := WriteFile(name, []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	link(t, name, filepath.Join(dir, "link"))
	if err := WriteFile(filepath.Join(dir, "link"), []byte("b"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := AppendFile(filepath.Join(dir, "link"), []byte("c"), 0o644); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadFile(name); err != nil || string(data) != "bc" {
		t.Errorf("%q, %v", data, err)
	}
	if err := WriteFile(os.DevNull, []byte("x"), 0o644); err != nil {
		t.Errorf("a device that a person named: %v", err)
	}
	if _, err := ReadFile(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
}
