//go:build e2e

package release

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestEndToEnd releases a stack of four repositories through all steps, on
// servers that this project did not write, and hotfixes it.
func TestEndToEnd(t *testing.T) {
	w, g := newRealWorld(t)
	d := newWorkstation(w)
	show := func(want int, args ...string) string {
		t.Helper()
		out, errs, code := d.cfctl(args...)
		t.Logf("$ cfctl %s\n%s%s", strings.Join(args, " "), errs, out)
		if code != want {
			t.Fatalf("exit %d, want %d", code, want)
		}
		if strings.Contains(out+errs, "tok_rel") {
			t.Error("the token is in the output")
		}
		return out
	}

	// A plan reads only, and needs no more than a token that can read.
	writer := d.env
	d.env = append(append([]string{}, d.env...), "GITHUB_TOKEN=tok_read")
	g.reset()
	_, _, code := d.cfctl("release", "plan", "v0.2.0", "--brief")
	if _, writes := g.counts(); len(writes) > 0 || code == 2 {
		t.Errorf("plan: exit %d, wrote %v", code, writes)
	}
	d.env = writer
	show(0, "release", "plan", "v0.2.0", "--brief")

	g.reset()
	rounds := 0
	for ; rounds < 10; rounds++ {
		out, errs, code := d.cfctl("release", "run", "v0.2.0")
		t.Logf("$ cfctl release run v0.2.0\n%s%s", errs, out)
		if code == 2 {
			t.Fatal("trouble")
		}
		if code == 0 {
			break
		}
		if strings.Contains(out, "--yes approve:publish") {
			d.picture(show(1, "release", "status", "v0.2.0", "-o", "html"), "waiting")
			show(0, "release", "approve", "v0.2.0", "approve:publish")
		}
		d.play()
	}
	all, writes := g.counts()
	t.Logf("%d runs, %d requests over HTTP (git, forge, registry), %d of them mutating", rounds+1, len(all), len(writes))
	if len(writes) != 18 || len(all) > 400 { // docs/release.md, "Requests"; the mail is no HTTP
		t.Errorf("%d requests, %d mutating:\n%s", len(all), len(writes), strings.Join(writes, "\n"))
	}
	if n := len(w.chat.texts()); n != 1 {
		t.Errorf("%d chat messages", n)
	}
	if n := len(w.mail.ids()); n != 1 {
		t.Errorf("%d mails", n)
	}

	g.reset()
	began := time.Now()
	show(0, "release", "run", "v0.2.0")
	all, writes = g.counts()
	t.Logf("second run: %d requests, %d mutating, %v", len(all), len(writes), time.Since(began))
	if len(writes) > 0 || len(all) > 30 {
		t.Errorf("a second run made %d requests, %d mutating", len(all), len(writes))
	}
	for object, n := range timesRead(all) {
		if strings.HasSuffix(object, "/orchard/operator.git/git-upload-pack") {
			n-- // whether the journal is on a ref of the root is a question of its own, before all others
		}
		if n > 1 {
			t.Errorf("a second run read %d times: %s", n, object)
		}
	}
	show(0, "release", "verify", "v0.2.0")
	show(0, "release", "status", "v0.2.0")
	d.picture(show(0, "release", "status", "v0.2.0", "-o", "html"), "done")

	d.fix("orchard/picker", "v1.1")
	d.fix("orchard/operator", "v0.2")
	show(0, "release", "hotfix", "picker", "v0.2.0")
	_, _, code = d.cfctl("release", "hotfix", "picker", "v0.2.0", "--run", "--yes", "approve:publish")
	for range 10 {
		if code == 0 {
			break
		}
		d.play()
		_, _, code = d.cfctl("release", "run", "v0.2.1", "--yes", "approve:publish")
	}
	if code != 0 {
		t.Errorf("the hotfix is not complete")
	}
	show(0, "release", "verify", "v0.2.1")
	show(0, "release", "verify", "v0.2.0") // whose stable tag has moved on since
	if err := filepath.WalkDir(d.home, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "tok_rel") {
			t.Errorf("the token is in %s", path)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	t.Log(w.state())
}

// timesRead counts the reads of each object. The registry's handshake is none,
// and git asks for refs in two requests: what the server can, and what it has.
func timesRead(all []string) map[string]int {
	count := map[string]int{}
	for _, request := range all {
		if !strings.HasSuffix(request, "/v2/") && !strings.HasSuffix(request, "/info/refs") {
			count[request]++
		}
	}
	return count
}

// fix makes a release branch with one commit on top of the line's first release.
func (d *workstation) fix(repo, minor string) {
	bare := d.bare(repo)
	c := d.run(bare, "git", "commit-tree", minor+".0^{tree}", "-p", minor+".0^{commit}", "-m", "Fix the ladder")
	d.run(bare, "git", "update-ref", "refs/heads/release-"+minor, c)
}

// picture opens a page in a real browser, and keeps what it looks like where
// CFCTL_SCREENSHOTS says.
func (d *workstation) picture(page, name string) {
	d.t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		d.t.Skip("no chromium: .ci/e2e/chromium.sh install")
	}
	file := filepath.Join(d.home, name+".html")
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		d.t.Fatal(err)
	}
	out, err := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "file://"+file).Output()
	if err != nil || !strings.Contains(string(out), "<svg") || !strings.Contains(string(out), "steps done") {
		d.t.Errorf("the page does not open: %v", err)
	}
	for _, forbidden := range []string{"<script", "@import", "src=", "url("} {
		if strings.Contains(page, forbidden) {
			d.t.Errorf("the page is not self-contained: %s", forbidden)
		}
	}
	for _, width := range []int{1280, 390} {
		w, h := d.measure(chromium, page, width)
		if w > width || width == 1280 && h >= 1500 {
			d.t.Errorf("%s is %d x %d px on a screen of %d", name, w, h, width)
		}
	}
	dir := os.Getenv("CFCTL_SCREENSHOTS")
	if dir == "" {
		return
	}
	for size, window := range map[string]string{"desktop": "1280,1600", "phone": "500,1800"} {
		exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size="+window,
			"--screenshot="+filepath.Join(dir, name+"-"+size+".png"), "file://"+file).Run()
		exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-dark-mode", "--blink-settings=preferredColorScheme=0", "--window-size="+window,
			"--screenshot="+filepath.Join(dir, name+"-"+size+"-dark.png"), "file://"+file).Run()
	}
}

// measure is how wide and high a page is, in pixels, on a screen of so many.
// A browser's window has a least width, so that the page is in a frame.
func (d *workstation) measure(chromium, page string, width int) (w, h int) {
	d.t.Helper()
	inner, outer := filepath.Join(d.home, "inner.html"), filepath.Join(d.home, "outer.html")
	tell := "<script>onload = () => parent.postMessage([document.documentElement.scrollWidth, document.documentElement.scrollHeight].join(' '), '*')</script>"
	frame := fmt.Sprintf("<iframe src=inner.html width=%d height=100 frameborder=0 scrolling=no></iframe><p id=size></p>"+
		"<script>onmessage = e => document.getElementById('size').textContent = e.data</script>", width)
	for file, text := range map[string]string{inner: page + tell, outer: frame} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			d.t.Fatal(err)
		}
	}
	out, err := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom", "file://"+outer).Output()
	_, size, _ := strings.Cut(string(out), `<p id="size">`)
	if n, _ := fmt.Sscan(size, &w, &h); err != nil || n != 2 {
		d.t.Errorf("cannot measure the page: %v", err)
	}
	return w, h
}

// TestKilledProcess kills the real process at mutating requests: before the
// server has seen them, and after. Every eighth one; the sweep over all points
// is TestKilledEverywhere.
func TestKilledProcess(t *testing.T) {
	const writes = 23
	killed := func(t *testing.T, at int, after bool) string {
		w, g := newRealWorld(t)
		newWorkstation(w).runKilled(g, at, after)
		return stripTrees(strings.ReplaceAll(w.state(), w.reg, "REG"))
	}
	want := killed(t, 0, false)
	for at := 4; at <= writes; at += 8 {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d after %v", at, after), func(t *testing.T) {
				t.Parallel()
				if got := killed(t, at, after); got != want {
					t.Errorf("another world\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

// stripTrees drops the hashes of trees that hold addresses of the actual state.
func stripTrees(state string) string {
	var out []string
	for line := range strings.Lines(state) {
		if f := strings.Fields(line); len(f) == 3 && strings.HasPrefix(f[0], "refs/") {
			line = f[0] + " " + f[1] + "\n"
		}
		out = append(out, line)
	}
	return strings.Join(out, "")
}

func (d *workstation) runKilled(g *counter, at int, after bool) {
	d.t.Helper()
	var victim *os.Process
	g.reset()
	g.hook = func(n int, late bool) {
		if n == at && late == after && victim != nil {
			victim.Kill()
			time.Sleep(20 * time.Millisecond)
			if !late {
				panic(http.ErrAbortHandler) // the request never arrives
			}
		}
	}
	for range 14 {
		cmd := exec.Command(d.bin, "release", "run", "v0.2.0", "--yes", "approve:publish")
		cmd.Dir, cmd.Env = d.home, d.env
		if err := cmd.Start(); err != nil {
			d.t.Fatal(err)
		}
		victim = cmd.Process
		cmd.Wait()
		victim = nil
		switch cmd.ProcessState.ExitCode() {
		case 0:
			return
		case 1:
			if out, _, _ := d.cfctl("release", "status", "v0.2.0"); strings.Contains(out, "not known whether") {
				answer := []string{"release", "approve", "v0.2.0", "announce:slack"}
				if len(d.chat.texts()) > 0 { // as a maintainer who looks sees it; the message and the last push race
					answer = append(answer, "--done")
				}
				d.cfctl(answer...)
			}
			d.play()
		}
	}
	out, errs, _ := d.cfctl("release", "run", "v0.2.0")
	d.t.Fatalf("killed at %d, the train does not arrive\n%s%s", at, errs, out)
}
