//go:build e2e

package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	modmodule "golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// released is what one run of goreleaser made of this tree, as version 0.7.3.
type released struct {
	src   string
	dist  string
	image string // of the registry
	sbom  bool   // syft was there
}

// TestPackages releases this tree with the configuration that releases it,
// narrowed to this machine, to a registry of its own and to no forge; then it
// installs and runs what came out. .ci/e2e/packages.sh installs the tools.
func TestPackages(t *testing.T) {
	r := makeRelease(t)
	t.Run("go install", r.goInstall)
	t.Run("archive", r.archive)
	t.Run("checksums", r.checksums)
	t.Run("sbom", r.billOfMaterials)
	t.Run("deb", r.deb)
	t.Run("rpm", r.rpm)
	t.Run("apk", r.apk)
	t.Run("cask", r.cask)
	t.Run("image", r.runImage)
}

// tool is a program of .ci/e2e/packages.sh; empty when it is not there.
func tool(t *testing.T, name string) string {
	t.Helper()
	own, err := filepath.Abs("../../.cache/e2e/bin/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{own, name} {
		if path, err := exec.LookPath(file); err == nil {
			return path
		}
	}
	return ""
}

// executed runs a program to its end and returns both its outputs.
func executed(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// untar writes the files of a tar to a folder and returns their names.
func untar(t *testing.T, r io.Reader, dir string) []string {
	t.Helper()
	var names []string
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		to := filepath.Join(dir, filepath.FromSlash(h.Name))
		switch h.Typeflag {
		case tar.TypeDir:
			err = errors.Join(os.MkdirAll(to, 0o755), os.Chmod(to, h.FileInfo().Mode()))
		case tar.TypeReg:
			data, rerr := io.ReadAll(tr)
			err = errors.Join(rerr, os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, 0o600), os.Chmod(to, h.FileInfo().Mode().Perm()))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// goInstall is the line that the README gives, on a module proxy of files that
// has this tree as its newest version.
func (r *released) goInstall(t *testing.T) {
	bin, proxy := t.TempDir(), t.TempDir()
	dir := filepath.Join(proxy, strings.TrimSuffix(module, "/"), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	zipped, err := os.Create(filepath.Join(dir, "v0.7.3.zip"))
	if err != nil {
		t.Fatal(err)
	}
	version := modmodule.Version{Path: strings.TrimSuffix(module, "/"), Version: "v0.7.3"}
	if err := errors.Join(modzip.CreateFromVCS(zipped, version, r.src, "v0.7.3", ""), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	gomod, err := os.ReadFile(filepath.Join(r.src, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": "v0.7.3\n", "v0.7.3.info": `{"Version": "v0.7.3"}`, "v0.7.3.mod": string(gomod)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	had := strings.TrimSpace(executed(t, "", nil, "go", "env", "GOMODCACHE"))
	cache := t.TempDir()
	env := []string{"GOBIN=" + bin, "GOMODCACHE=" + cache, "GOPROXY=file://" + proxy + ",file://" + had + "/cache/download", "GONOSUMDB=*", "GOFLAGS=-modcacherw -trimpath"}
	executed(t, t.TempDir(), env, "go", "install", module+"cmd/cfctl@latest")
	if got := executed(t, "", nil, filepath.Join(bin, "cfctl"), "version"); !strings.HasPrefix(got, "cfctl v0.7.3, go1.") {
		t.Errorf("version: %s", got)
	}
}

func (r *released) file(t *testing.T, pattern string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(r.dist, pattern))
	if err != nil || len(list) != 1 {
		t.Fatalf("%s: %q, %v", pattern, list, err)
	}
	return list[0]
}

func gunzipped(t *testing.T, file string) io.Reader {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// speaks holds a program to be the one that was released.
func speaks(t *testing.T, program string) {
	t.Helper()
	if got := executed(t, "", nil, program, "version"); !strings.HasPrefix(got, "cfctl v0.7.3, commit ") {
		t.Errorf("%s: %s", program, got)
	}
}

func (r *released) archive(t *testing.T) {
	dir := t.TempDir()
	names := untar(t, gunzipped(t, r.file(t, "cfctl_0.7.3_linux_*.tar.gz")), dir)
	for _, want := range []string{"cfctl", "LICENSE", "README.md", "docs/migrate.md", "completions/cfctl.bash", "completions/_cfctl", "completions/cfctl.fish"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s in %q", want, names)
		}
	}
	speaks(t, filepath.Join(dir, "cfctl"))
}

func (r *released) checksums(t *testing.T) {
	data, err := os.ReadFile(r.file(t, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); seen++ {
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		content, err := os.ReadFile(filepath.Join(r.dist, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := sha256.Sum256(content); hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s is not what its checksum says", name)
		}
	}
	if seen < 4 {
		t.Errorf("%d checksums:\n%s", seen, data)
	}
}

func (r *released) billOfMaterials(t *testing.T) {
	if !r.sbom {
		t.Skip("syft is not there")
	}
	data, err := os.ReadFile(r.file(t, "*.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var bom struct {
		Format     string `json:"bomFormat"`
		Components []struct{ Name string }
	}
	if err := json.Unmarshal(data, &bom); err != nil || bom.Format != "CycloneDX" {
		t.Fatalf("%q %v", bom.Format, err)
	}
	named := func(c struct{ Name string }) bool { return c.Name == "github.com/spf13/cobra" }
	if !slices.ContainsFunc(bom.Components, named) {
		t.Errorf("%d components, and cobra is none of them", len(bom.Components))
	}
}

// installed looks at the files of an installed package.
func installed(t *testing.T, root string, files ...string) {
	t.Helper()
	speaks(t, root+"/usr/bin/cfctl")
	script := `source /usr/share/bash-completion/bash_completion; source "$1"; COMP_WORDS=(cfctl mig); COMP_CWORD=1; COMP_LINE="cfctl mig"; COMP_POINT=9; __start_cfctl 2>/dev/null; echo "${COMPREPLY[@]}"`
	env := []string{"PATH=" + root + "/usr/bin:" + os.Getenv("PATH")}
	got := executed(t, "", env, "bash", "-c", script, "bash", root+"/usr/share/bash-completion/completions/cfctl")
	if strings.TrimSpace(got) != "migrate" {
		t.Errorf("bash completes mig to %q", got)
	}
	for _, file := range append(files, "/usr/share/fish/vendor_completions.d/cfctl.fish") {
		if _, err := os.Stat(root + file); err != nil {
			t.Error(err)
		}
	}
}

func (r *released) deb(t *testing.T) {
	file, root := r.file(t, "*.deb"), t.TempDir()
	for _, dir := range []string{"updates", "info"} {
		if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	// the root of its own has no git package: that is what is forced, and nothing else
	executed(t, "", nil, "dpkg", "--root="+root, "--force-depends", "-i", file)
	installed(t, root, "/usr/share/zsh/vendor-completions/_cfctl", "/usr/share/doc/cfctl/copyright")
	if got := executed(t, "", nil, "dpkg-deb", "-f", file, "Depends"); strings.TrimSpace(got) != "git" {
		t.Errorf("depends on %q", got)
	}
	executed(t, "", nil, "lintian", "--allow-root", "--fail-on", "error", file)
	executed(t, "", nil, "dpkg", "--root="+root, "-r", "cfctl")
	if _, err := os.Stat(root + "/usr/bin/cfctl"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after removal: %v", err)
	}
}

func (r *released) rpm(t *testing.T) {
	file, root := r.file(t, "*.rpm"), t.TempDir()
	executed(t, "", nil, "rpm", "--root", root, "--nodeps", "-i", file)
	installed(t, root, "/usr/share/zsh/site-functions/_cfctl", "/usr/share/licenses/cfctl/LICENSE")
	if got := executed(t, "", nil, "rpm", "-qp", "--requires", file); !strings.Contains(got, "git") {
		t.Errorf("requires %q", got)
	}
	executed(t, "", nil, "rpmlint", "--config", r.src+"/.ci/rpmlint.toml", file) // fails on errors
}

// apk is three gzipped tars, one behind the other; the last has the files.
func (r *released) apk(t *testing.T) {
	root := t.TempDir()
	z := gunzipped(t, r.file(t, "*.apk"))
	control, err := os.Create(filepath.Join(root, "all.tar"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(copyAll(control, z), control.Close()); err != nil {
		t.Fatal(err)
	}
	executed(t, root, nil, "tar", "--ignore-zeros", "-xf", "all.tar")
	installed(t, root, "/usr/share/zsh/site-functions/_cfctl", "/usr/share/licenses/cfctl/LICENSE")
	info, err := os.ReadFile(filepath.Join(root, ".PKGINFO"))
	if err != nil || !strings.Contains(string(info), "depend = git") {
		t.Errorf("%s %v", info, err)
	}
}

func copyAll(w io.Writer, r io.Reader) error {
	_, err := io.Copy(w, r)
	return err
}

func (r *released) cask(t *testing.T) {
	data, err := os.ReadFile(r.file(t, "homebrew/Casks/cfctl.rb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`version "0.7.3"`, `binary "cfctl"`, "completions/cfctl.bash", "releases/download/v#{version}/cfctl_#{version}_"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in\n%s", want, data)
		}
	}
}

// runImage unpacks the image's layers and runs cfctl in them as the image's
// user: its version, and a command that needs the image's git.
func (r *released) runImage(t *testing.T) {
	ref, err := name.ParseReference(r.image)
	if err != nil {
		t.Fatal(err)
	}
	img, err := remote.Image(ref, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: runtime.GOARCH}))
	if err != nil {
		t.Fatal(err)
	}
	c, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if c.Config.User != "65532" || c.Config.Labels["org.opencontainers.image.version"] != "0.7.3" || len(c.Config.Entrypoint) != 1 {
		t.Errorf("user %q, entrypoint %q, labels %q", c.Config.User, c.Config.Entrypoint, c.Config.Labels)
	}
	root := t.TempDir()
	layers := mutate.Extract(img)
	defer layers.Close()
	untar(t, layers, root)
	work := filepath.Join(root, "work")
	dev := filepath.Join(root, "dev") // whoever runs a container gives it devices
	if err := os.MkdirAll(dev, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, minor := range map[string]int{"null": 3, "urandom": 9} {
		file := filepath.Join(dev, name)
		if err := errors.Join(syscall.Mknod(file, syscall.S_IFCHR|0o666, 1<<8|minor), os.Chmod(file, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(root, 0o755), os.MkdirAll(work, 0o755), os.WriteFile(filepath.Join(work, "aw.yaml"), []byte("apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	within := func(args ...string) (string, int) {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir, cmd.Env = "/work", []string{"PATH=" + filepath.Dir(c.Config.Entrypoint[0]) + ":/usr/bin", "HOME=/tmp"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatalf("%s: %v", args, err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := within(c.Config.Entrypoint[0], "version"); code != 0 || !strings.HasPrefix(out, "cfctl v0.7.3") {
		t.Errorf("exit %d: %s", code, out)
	}
	git := func(args ...string) {
		if out, code := within(append([]string{"/usr/bin/git"}, args...)...); code != 0 {
			t.Fatalf("git %s: exit %d: %s", args, code, out)
		}
	}
	git("init", "-q", "/tmp/r")
	table := "| Component | Version |\n|---|---|\n| CodeFlare Operator | v1.0.0 |\n"
	if err := os.WriteFile(filepath.Join(root, "tmp/r/README.md"), []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	git("-C", "/tmp/r", "add", "README.md")
	git("-C", "/tmp/r", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "A table")
	if out, code := within(c.Config.Entrypoint[0], "migrate", "--check", "."); code != 1 || !strings.Contains(out, "workload.codeflare.dev") {
		t.Errorf("migrate --check: exit %d: %s", code, out)
	}
	if out, code := within(c.Config.Entrypoint[0], "matrix", "check", "--stack", "codeflare", "--repo", "/tmp/r", "--ref", "HEAD", "--offline"); code == 2 {
		t.Errorf("matrix check: exit %d: %s", code, out)
	}
	if info, err := os.Stat(filepath.Join(root, "etc/ssl/certs/ca-certificates.crt")); err != nil || info.Size() == 0 {
		t.Errorf("certificates: %v", err)
	}
}
