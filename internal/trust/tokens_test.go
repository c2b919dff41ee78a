package trust

import (
	"strings"
	"testing"
)

// TestTokensGoToTheirHosts: which token is taken for which forge.
func TestTokensGoToTheirHosts(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no gh
	job := map[string]string{"GITHUB_SERVER_URL": "https://ghe.example.com", "GITHUB_API_URL": "https://ghe.example.com/api/v3"}
	with := func(env map[string]string, more ...string) map[string]string {
		all := map[string]string{}
		for k, v := range env {
			all[k] = v
		}
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return all
	}
	const gh, api, ghe, gheAPI = "https://github.com", "https://api.github.com", "https://ghe.example.com", "https://ghe.example.com/api/v3"
	for _, c := range []struct {
		env      map[string]string
		api, git string
		want     string // token; "!" and a part of the error
	}{
		{with(nil, "GITHUB_TOKEN", "a"), api, gh, "a"},
		{with(nil, "GH_TOKEN", "b"), api, gh, "b"},
		{nil, "https://evil.com", "https://evil.com", ""},
		{with(nil, "GITHUB_TOKEN", "a"), gheAPI, ghe, "!GITHUB_TOKEN is not for"},
		{with(nil, "GITHUB_TOKEN", "a"), api, "https://evil.com", "!is not for the forge"},
		{with(nil, "GITHUB_TOKEN", "a"), "https://evil.com", gh, "!is not for the forge"},
		{with(nil, "GITHUB_TOKEN", "a"), "https://api.github.com:8443", gh, "!is not for the forge"},
		{with(job, "GITHUB_TOKEN", "a"), gheAPI, ghe, "a"},
		{with(job, "GITHUB_TOKEN", "a"), api, gh, "!GITHUB_TOKEN is not for"},
		{with(job, "GITHUB_TOKEN", "a", "GH_TOKEN", "b"), api, gh, "b"},
		{with(nil, "GH_ENTERPRISE_TOKEN", "e"), gheAPI, ghe, "!GH_ENTERPRISE_TOKEN is not for"},
		{with(nil, "GH_ENTERPRISE_TOKEN", "e", "GH_HOST", "ghe.example.com", "GITHUB_TOKEN", "a"), gheAPI, ghe, "e"},
		{with(nil, "GH_ENTERPRISE_TOKEN", "e", "GH_HOST", "github.com"), api, gh, "!is not for"},
		{with(nil, "GITEA_TOKEN", "t", "GITEA_SERVER_URL", "https://gitea.example.com"), "https://gitea.example.com/api/v1", "https://gitea.example.com", "t"},
		{with(nil, "GITEA_TOKEN", "t"), "https://gitea.example.com/api/v1", "https://gitea.example.com", "!GITEA_TOKEN is not for"},
		{with(nil, "GITEA_TOKEN", "t", "GITEA_SERVER_URL", "https://gitea.example.com"), api, gh, "!is not for the forge"},
		{with(nil, "GITEA_TOKEN", "t", "GITEA_SERVER_URL", "http://gitea.example.com"), "http://gitea.example.com/api/v1", "http://gitea.example.com", "!in the clear"},
		{with(nil, "GITHUB_TOKEN", "a"), "http://api.github.com", "http://github.com", "!in the clear"},
		{with(nil, "GITHUB_TOKEN", "a", "GITHUB_API_URL", "http://127.0.0.1:80"), "http://127.0.0.1:80", "http://127.0.0.1:80", "a"},
	} {
		got, err := Token(t.Context(), c.env, Servers{API: c.api, Git: c.git})
		wrong, fails := strings.CutPrefix(c.want, "!")
		switch {
		case fails && (err == nil || got != "" || !strings.Contains(err.Error(), wrong)):
			t.Errorf("%v for %s: %q, %v; want %s", c.env, c.api, got, err, wrong)
		case !fails && (err != nil || got != c.want):
			t.Errorf("%v for %s: %q, %v; want %q", c.env, c.api, got, err, c.want)
		}
	}
}
