//go:build e2e

// Package registrytest starts a real registry for tests.
package registrytest

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Distribution starts Debian's docker-registry (.ci/e2e/registry.sh installs
// it) for one test and returns its host.
func Distribution(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host := listener.Addr().String()
	listener.Close()
	config := fmt.Sprintf("version: 0.1\nstorage: {filesystem: {rootdirectory: %s}, delete: {enabled: true}}\nhttp: {addr: %s}\nlog: {level: error}\n", filepath.Join(dir, "data"), host)
	file := filepath.Join(dir, "registry.yml")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	server := exec.Command("docker-registry", "serve", file)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	for range 1200 { // a minute, for a machine that does much else
		if answer, err := http.Get("http://" + host + "/v2/"); err == nil {
			answer.Body.Close()
			return host
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("docker-registry does not answer")
	return ""
}
