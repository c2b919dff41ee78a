package release

import (
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/release/recipe"
)

// A forge of another kind has an address of its own, and its API below it.
func TestServers(t *testing.T) {
	for _, test := range []struct {
		in   recipe.Servers
		want string // API and git, or a part of the error
	}{
		{recipe.Servers{}, "GitHub https://api.github.com https://github.com"},
		{recipe.Servers{Kind: "gitea", Git: "https://git.example.com/"}, "Gitea https://git.example.com/api/v1 https://git.example.com/"},
		{recipe.Servers{Kind: "gitea", Git: "https://git.example.com", API: "https://api.example.com"}, "Gitea https://api.example.com https://git.example.com"},
		{recipe.Servers{Kind: "gitea"}, "no address by itself"},
		{recipe.Servers{Kind: "gitee"}, `"gitee" is not one of`},
	} {
		s := test.in
		err := s.Complete(".cfctl.yaml")
		got := strings.Join([]string{s.Name(), s.API, s.Git}, " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%+v: %s, want %s", test.in, got, test.want)
		}
	}
}
