package migrate

import (
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A conversion of a file from Windows adds lines that end as the others do.
func TestConvertKeepsLineEnds(t *testing.T) {
	_, m := kubernetesRemoved(t, Options{})
	unix := "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata:\n  name: y\nspec:\n  rules:\n  - http:\n      paths:\n" +
		"      - backend:\n          serviceName: a # keep\n          servicePort: 80\n"
	convert := func(text string) string {
		f := fileOf(m, "a.yaml", []byte(text))
		if f == nil {
			t.Fatal("nothing to do")
		}
		out, err := source.Apply([]byte(text), f.Edits([]byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	want := convert(unix)
	got := convert(strings.ReplaceAll(unix, "\n", "\r\n"))
	if got != strings.ReplaceAll(want, "\n", "\r\n") || !strings.Contains(want, "pathType") {
		t.Errorf("got %q\nwant %q with other ends", got, want)
	}
}
