package registry

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// TestDev compares dev with the head of a branch: by its label, or by a tag that is
// named after the commit.
func TestDev(t *testing.T) {
	host := inProcess(t)
	const head, earlier = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d", "ffff3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"
	at := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	labelled := func(t *testing.T, revision string) v1.Image {
		image, err := random.Image(64, 1)
		if err != nil {
			t.Fatal(err)
		}
		config, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		config.Created = v1.Time{Time: at}
		if config.Config.Labels = map[string]string{}; revision != "" {
			config.Config.Labels[RevisionLabel] = revision
		}
		if image, err = mutate.ConfigFile(image, config); err != nil {
			t.Fatal(err)
		}
		return image
	}
	for repo, test := range map[string]struct {
		tags     map[string]string // tag, and the image: the label of its revision
		index    bool
		state    DevState
		findings string
	}{
		"org/missing": {map[string]string{"v1.0.0": head}, false, DevMissing, "dev-missing"},
		"org/current": {map[string]string{"dev": head}, false, DevCurrent, ""},
		"org/short":   {map[string]string{"dev": head[:8]}, false, DevCurrent, ""},
		"org/behind":  {map[string]string{"dev": earlier, "main-" + head[:7]: head}, false, DevBehind, "dev-behind: dev was built from ffff3c4, and main is at 1a2b3c4"},
		"org/index":   {map[string]string{"dev": head}, true, DevCurrent, ""},
		"org/tagged":  {map[string]string{"dev,main-" + head[:9]: ""}, false, DevCurrent, ""},
		"org/other":   {map[string]string{"dev": "", head: "x"}, false, DevBehind, "dev-behind: dev is not " + head},
		"org/nothing": {map[string]string{"dev": "", "main-" + earlier[:7]: "x", "v1.0.0": "y"}, false, DevUnknown, "dev-unknown"},
		"org/tiny":    {map[string]string{"dev": head[:3]}, false, DevBehind, "dev-behind"},
	} {
		t.Run(repo, func(t *testing.T) {
			c := component(host, repo)
			for tags, revision := range test.tags {
				image := labelled(t, revision)
				for _, tag := range strings.Split(tags, ",") {
					ref, err := name.NewTag(c.Image.Repository + ":" + tag)
					if err != nil {
						t.Fatal(err)
					}
					if test.index {
						err = remote.WriteIndex(ref, mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: image}))
					} else {
						err = remote.Write(ref, image)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			g, _ := counted()
			d, err := g.LookDev(t.Context(), c, "main", head)
			if err != nil {
				t.Fatal(err)
			}
			if d.State != test.state || d.State != DevMissing && !d.Created.Equal(at) {
				t.Errorf("%+v", d)
			}
			found := ""
			for _, f := range d.Findings() {
				found += f.Rule + ": " + strings.TrimPrefix(f.Message, c.Image.Repository+": ")
			}
			if !strings.HasPrefix(found, test.findings) || test.findings == "" && found != "" {
				t.Errorf("%q, want %q", found, test.findings)
			}
		})
	}
}
