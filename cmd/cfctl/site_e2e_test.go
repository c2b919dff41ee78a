//go:build e2e

package main

import (
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// siteBase is the path below which the site is served.
const siteBase = "/cfctl/"

// TestSite looks at the site that CFCTL_SITE names (make docs): each link of it leads
// to a page and an anchor of it, nothing is loaded from elsewhere, and no page is wider than
// a desk or a phone. With CFCTL_SCREENSHOTS, a folder, it keeps pictures of the
// first pages.
func TestSite(t *testing.T) {
	dir := os.Getenv("CFCTL_SITE")
	if dir == "" {
		t.Skip("no site: make docs")
	}
	pages := readSite(t, dir)
	if len(pages) < 14 {
		t.Errorf("%d pages", len(pages))
	}
	for name, text := range pages {
		checkLinks(t, dir, name, text, pages)
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		chromium, err = exec.LookPath("google-chrome")
	}
	if err != nil {
		t.Skip("no chromium: .ci/e2e/chromium.sh install")
	}
	var list []string
	for name := range pages {
		if name != "404.html" {
			list = append(list, siteBase+strings.TrimSuffix(name, "index.html"))
		}
	}
	s := httptest.NewServer(measured(http.StripPrefix(siteBase, http.FileServer(http.Dir(dir))), list))
	defer s.Close()
	all := pageWidths(t, chromium, s.URL)
	if len(all) != len(list) {
		t.Errorf("%d of %d pages were measured", len(all), len(list))
	}
	for at, widths := range all {
		for i, width := range siteWidths {
			if widths[i] > width {
				t.Errorf("%s is %d px wide on a screen of %d", at, widths[i], width)
			}
		}
	}
	keepPictures(t, chromium, s.URL)
}

func readSite(t *testing.T, dir string) map[string]string {
	t.Helper()
	pages := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(file) != ".html" {
			return err
		}
		data, err := os.ReadFile(file)
		rel, _ := filepath.Rel(dir, file)
		pages[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

var (
	siteLink = regexp.MustCompile(`\s(href|src)="?([^"\s>]*)`)
	siteID   = regexp.MustCompile(`\sid="?([^"\s>]*)`)
)

func checkLinks(t *testing.T, dir, name, text string, pages map[string]string) {
	t.Helper()
	for _, m := range siteLink.FindAllStringSubmatch(text, -1) {
		to := html.UnescapeString(m[2])
		u, err := url.Parse(to)
		if err != nil {
			t.Errorf("%s: %s: %v", name, to, err)
			continue
		}
		if u.Host == "project-codeflare.github.io" {
			u.Scheme, u.Host = "", ""
		}
		switch {
		case u.Scheme != "" && m[1] == "src":
			t.Errorf("%s loads %s", name, to)
			continue
		case u.Scheme != "" || u.Path == "" && u.Fragment == "":
			continue
		}
		file := name
		if u.Path != "" {
			rel, ok := strings.CutPrefix(path.Join(siteBase, path.Dir(name), u.Path), siteBase)
			if strings.HasPrefix(u.Path, "/") {
				rel, ok = strings.CutPrefix(u.Path, siteBase)
			}
			if !ok {
				t.Errorf("%s: %s is outside of the site", name, to)
				continue
			}
			file = strings.TrimSuffix(rel, "/")
			if strings.HasSuffix(u.Path, "/") || file == "" {
				file = path.Join(file, "index.html")
			}
		}
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(file))); err != nil {
			t.Errorf("%s: %s leads nowhere", name, to)
		} else if u.Fragment != "" && !hasID(pages[file], u.Fragment) {
			t.Errorf("%s: %s has no #%s", name, file, u.Fragment)
		}
	}
}

func hasID(page, id string) bool {
	for _, m := range siteID.FindAllStringSubmatch(page, -1) {
		if html.UnescapeString(m[1]) == id {
			return true
		}
	}
	return false
}

// siteWidths are the widths of a desk's and of a phone's screen, in pixels.
var siteWidths = []int{1280, 390}

// measured serves two pages next to the site: /frame?width=N&at=PATH shows a page
// in a frame of that width, /widths says how wide each page becomes.
func measured(site http.Handler, pages []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/frame":
			q := r.URL.Query()
			fmt.Fprintf(w, `<iframe src="%s" width="%s" height=1500 style="border:0"></iframe>`, html.EscapeString(q.Get("at")), html.EscapeString(q.Get("width")))
		case "/widths":
			fmt.Fprintf(w, `<iframe id=f height=900 style="border:0"></iframe><pre id=sizes></pre><script>
const pages = "%s".split(" "), widths = [%s]
const load = (at, width) => new Promise(done => { f.width = width; f.onload = done; f.src = at })
const measure = async () => {
	for (const at of pages) {
		let line = at
		for (const width of widths) {
			await load(at, width)
			line += " " + f.contentDocument.documentElement.scrollWidth
		}
		sizes.textContent += line + "\n"
	}
}
measure()</script>`, strings.Join(pages, " "), strings.Trim(strings.ReplaceAll(fmt.Sprint(siteWidths), " ", ","), "[]"))
		default:
			site.ServeHTTP(w, r)
		}
	})
}

// pageWidths are the widths of all pages, in the order of siteWidths.
func pageWidths(t *testing.T, chromium, server string) map[string][]int {
	t.Helper()
	out, err := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=120000", "--dump-dom", server+"/widths").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, sizes, _ := strings.Cut(string(out), `<pre id="sizes">`)
	sizes, _, _ = strings.Cut(sizes, "</pre>")
	widths := map[string][]int{}
	for line := range strings.Lines(sizes) {
		f := strings.Fields(line)
		for _, n := range f[1:] {
			w, _ := strconv.Atoi(n)
			widths[f[0]] = append(widths[f[0]], w)
		}
	}
	return widths
}

func keepPictures(t *testing.T, chromium, server string) {
	t.Helper()
	dir := os.Getenv("CFCTL_SCREENSHOTS")
	if dir == "" {
		return
	}
	for name, at := range map[string]string{"first": siteBase, "migrate": siteBase + "docs/migrate/"} {
		for size, look := range map[string]string{"1280": "1280,1600", "390": "1280,1600"} {
			for mode, more := range map[string][]string{"light": nil, "dark": {"--force-dark-mode", "--blink-settings=preferredColorScheme=0"}} {
				from := server + at
				if size == "390" {
					from = fmt.Sprintf("%s/frame?width=390&at=%s", server, url.QueryEscape(at))
				}
				args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=" + look,
					"--screenshot=" + filepath.Join(dir, name+"-"+size+"-"+mode+".png"), from}, more...)
				if out, err := exec.Command(chromium, args...).CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			}
		}
	}
}
