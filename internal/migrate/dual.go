package migrate

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// embedded is a file that Go code embeds as one text, with the name that the text has.
var embedded = lazyregexp.New(`(?m)^\s*//go:embed ("?)([^\s"*?\[]+)"?\s*\n\s*(?:var )?(\w+) +(?:\[\]byte|string)\b`)

// embeds asks for the files that Go code reads as one document: it embeds them, and gives all of
// their text to one Unmarshal, which reads the first document.
func (x *reading) embeds(sources []string) inquiry {
	q := inquiry{search: search{needles: []string{"//go:embed "}, among: sources}}
	q.visit = func(name string, data []byte) {
		for _, found := range embedded.FindAllSubmatch(data, -1) {
			if bytes.Contains(data, []byte("Unmarshal("+string(found[3])+",")) || bytes.Contains(data, []byte("Unmarshal([]byte("+string(found[3])+"),")) {
				x.files.mu.Lock()
				x.tree.single[path.Join(path.Dir(name), string(found[2]))] = name
				x.files.mu.Unlock()
			}
		}
	}
	return q
}

// maxChartFile is the size of the largest file of a chart that Helm reads.
// Source: helm.sh/helm, pkg/chart/loader/archive, MaxDecompressedFileSize.
const maxChartFile = 5 << 20

// leaveTwins leaves the copies of CRDs in a file for review that nothing would read there.
func (f *File) leaveTwins(single map[string]string, others Others) {
	size, twins := 0, []int{}
	for i, s := range f.Sites {
		if s.Role() == "crd-name" && s.Action() == Change && len(s.Edits) == 1 && s.Edits[0].Len() == 0 {
			size, twins = size+len(s.Edits[0].New), append(twins, i)
		}
	}
	var why string
	hint := "write the object with the new name to a file of its own"
	switch by := single[f.Path]; {
	case len(twins) == 0:
		return
	case by != "":
		why, hint = by+" embeds the file and reads its first document only", hint+", and read that as well"
	default:
		data, err := others.ReadFile(f.Path)
		if err != nil || len(data)+size <= maxChartFile || !inChart(f.Path, others) {
			return
		}
		hint = "split the file, then run cfctl again"
		why = fmt.Sprintf("the file would have %.1f MiB with the copies, and Helm reads no file of a chart above 5 MiB", float64(len(data)+size)/(1<<20))
	}
	for n, i := range twins {
		v := judge.Because(judge.NoTwin, why).Hinted(hint)
		if n > 0 && single[f.Path] == "" { // splitting it is one task
			v = judge.Because(judge.NoTwinToo, why)
		}
		f.Sites[i] = f.Sites[i].As(v)
	}
}

// inChart says whether a file is in a chart.
func inChart(name string, others Others) bool {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if others.Exists(path.Join(dir, "Chart.yaml")) {
			return true
		}
		if dir == "." || dir == "/" {
			return false
		}
	}
}

// twinsThere takes back that a CRD has no copy in the new group where another file of its folder
// has it: a person has written it.
func (m *Migration) twinsThere(files []*File) {
	there := map[string]bool{} // by folder and name
	for _, f := range files {
		for _, c := range f.crds() {
			if at := path.Join(path.Dir(f.Path), c.name); f.Skip == nil {
				there[at] = true
			}
		}
	}
	for _, f := range files {
		f.Sites = slices.DeleteFunc(f.Sites, func(s Site) bool {
			return s.Action() == NeedsReview && s.ID() == "twin" && there[path.Join(path.Dir(f.Path), m.freshCRD(s.Old))]
		})
	}
}

// freshCRD is what the name of a CRD becomes, "" for nothing.
func (m *Migration) freshCRD(name string) string {
	plural, group, _ := strings.Cut(name, ".")
	a := m.rules.Ask(rules.GVK{Group: group, Plural: plural})
	if a.Outcome != rules.Moves {
		return ""
	}
	return cmp.Or(a.To.Plural, plural) + "." + a.To.Group
}
