//go:build e2e

package campaign

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestThroughput evaluates repositories with a history, next to what a script over
// clones does with them: clone, checkout, sed. It says the ratio of both in one
// run; that less is transferred must be so.
func TestThroughput(t *testing.T) {
	n := many(t, 8)
	h := newHub(t, time.Time{})
	work := t.TempDir()
	h.Git(".", "init", "-q", "-b", "main", work)
	noise := rand.NewChaCha8([32]byte{1})
	random := func(size int) string {
		data := make([]byte, size)
		_, _ = noise.Read(data)
		return string(data)
	}
	// 600 files of text, 40 commits that change 15 of them, an image of 4 MB of
	// which there were four.
	files := map[string]string{"config/a.yaml": oldManifest, "config/b.yaml": oldManifest}
	for i := range 600 {
		files[fmt.Sprintf("pkg/p%d/f%d.go", i%40, i)] = fmt.Sprintf("package p%d\n\n// %x\n", i%40, random(2000))
	}
	for c := range 40 {
		for i := range 15 {
			files[fmt.Sprintf("pkg/p%d/f%d.go", (c*15+i)%40, c*15+i)] = fmt.Sprintf("package p\n\n// %x\n", random(2000))
		}
		if c%10 == 0 {
			files["docs/picture.png"] = random(4 << 20)
		}
		h.commit(work, files)
		files = map[string]string{}
	}
	h.seedFrom(n, work)
	d := newDesk(t, h)
	d.must(0, "plan", "--org", "acme", "--author", "Robot <robot@example.com>")
	type took struct {
		time time.Duration
		sent int64
	}
	measure := func(name string, do func()) took {
		h.Sent.Store(0)
		began := time.Now()
		do()
		x := took{time.Since(began), h.Sent.Load()}
		t.Logf("%s: %v, %d MB transferred", name, x.time.Round(10*time.Millisecond), x.sent>>20)
		return x
	}
	scripts := func(options ...string) func() {
		return func() {
			var group sync.WaitGroup
			next := make(chan string, n)
			for _, r := range h.Repositories {
				next <- r.Name
			}
			close(next)
			for range 2 {
				group.Go(func() {
					for name := range next {
						dir := filepath.Join(t.TempDir(), "c")
						address := strings.Replace(h.URL, "http://", "http://x:"+readToken+"@", 1) + "/" + name + ".git"
						script := `git clone -q ` + strings.Join(options, " ") + ` "$1" "$2" && cd "$2" && git checkout -q -b cfctl && git ls-files -z | xargs -0 sed -i s/mcad.ibm.com/workload.codeflare.dev/ && git -c user.name=R -c user.email=r@x commit -qam x`
						cmd := exec.Command("sh", "-c", script, "sh", address, dir)
						cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0")
						if out, err := cmd.CombinedOutput(); err != nil {
							t.Errorf("%v\n%s", err, out)
						}
						_ = os.RemoveAll(dir)
					}
				})
			}
			group.Wait()
		}
	}
	full := measure("clone, checkout, sed", scripts())
	shallow := measure("clone --depth 1, checkout, sed", scripts("--depth=1", "--no-tags"))
	first := measure("work", func() { d.must(0, "work", "-j", "2") })
	again := measure("work again", func() { d.must(0, "work", "-j", "2") })
	t.Logf("work is %.2f × as fast as full clones with %.3f of the bytes, %.2f × and %.3f of those of depth 1; again it takes %.3f of its first time",
		full.time.Seconds()/first.time.Seconds(), float64(first.sent)/float64(full.sent), shallow.time.Seconds()/first.time.Seconds(), float64(first.sent)/float64(shallow.sent), again.time.Seconds()/first.time.Seconds())
	if first.sent*5 > full.sent || first.sent >= shallow.sent || again.sent*20 > first.sent {
		t.Errorf("transferred: clones %d, of depth 1 %d, work %d, again %d", full.sent, shallow.sent, first.sent, again.sent)
	}
}
