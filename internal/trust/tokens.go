package trust

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A credential is a token of the environment and the hosts that it was made for.
type credential struct {
	variable string
	hosts    []string // "github.com", "ghe.example.com:8443"
}

// credentials are the tokens that the environment may hold, in the order in
// which they are taken.
// Source: https://cli.github.com/manual/gh_help_environment, and for the first
// https://docs.github.com/en/actions/reference/variables-reference. That for a
// Gitea is for the server that the environment names next to it.
func credentials(env map[string]string) []credential {
	job := Hosts(env["GITHUB_SERVER_URL"], env["GITHUB_API_URL"])
	github := []string{"github.com", "api.github.com"}
	own := job
	if len(job) == 0 {
		own = github
	}
	var other []string
	if h := env["GH_HOST"]; h != "" && !slices.Contains(github, h) {
		other = []string{h, "api." + h}
	}
	return []credential{
		{"GITHUB_TOKEN", own},
		{"GH_TOKEN", append(slices.Clone(github), job...)},
		{"GH_ENTERPRISE_TOKEN", other},
		{"GITHUB_ENTERPRISE_TOKEN", other},
		{"GITEA_TOKEN", Hosts(env["GITEA_SERVER_URL"])},
	}
}

// Hosts are those of addresses.
func Hosts(addresses ...string) []string {
	var hosts []string
	for _, a := range addresses {
		if u, err := url.Parse(a); err == nil && u.Host != "" {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}

// Servers are those of a forge.
type Servers struct {
	API, Git string
	Gitea    bool // or Forgejo
}

// Token is the token for a forge: of the environment, or of gh; "" = none
// is there, and what is public can be read. A token that was made for other
// hosts than the forge's is not used, which is an error: to go on without would
// look as if nothing were there. It is an error too to send one in the clear.
func Token(ctx context.Context, env map[string]string, forge Servers) (string, error) {
	hosts := Hosts(forge.API, forge.Git)
	var others []string
	for _, c := range credentials(env) {
		token := env[c.variable]
		switch {
		case token == "":
		case containsAll(c.hosts, hosts):
			return sealed(token, forge)
		default:
			others = append(others, c.variable)
		}
	}
	hint := "for a forge of your own: GH_HOST=HOST and GH_ENTERPRISE_TOKEN"
	if forge.Gitea {
		hint = "GITEA_TOKEN is for the server of GITEA_SERVER_URL=" + forge.Git
	} else if token := tokenOfGh(ctx, hosts); token != "" {
		return sealed(token, forge)
	}
	if len(others) > 0 {
		return "", source.Hinted(fmt.Errorf("%s is not for the forge %s: it is sent to no other host than its own", strings.Join(others, ", "), strings.Join(slices.Compact(hosts), ", ")), hint)
	}
	return "", nil
}

// FileToken is where the token for a forge comes from that is in the file of a
// variable, which is read again at each use. It is for the hosts that $GITHUB_TOKEN
// would be for.
func (s *Secrets) FileToken(env map[string]string, variable string, forge Servers) (func() string, error) {
	hosts := Hosts(forge.API, forge.Git)
	own := credentials(map[string]string{"GITHUB_SERVER_URL": env["GITHUB_SERVER_URL"], "GITHUB_API_URL": env["GITHUB_API_URL"]})[0].hosts
	if !containsAll(own, hosts) {
		return nil, source.Hinted(fmt.Errorf("%s is not for the forge %s", variable, strings.Join(slices.Compact(hosts), ", ")), "say whose it is: GITHUB_SERVER_URL and GITHUB_API_URL")
	}
	read := func() (string, error) {
		data, err := source.ReadFile(env[variable])
		token := strings.TrimSpace(string(data))
		s.Add(token)
		return token, err
	}
	token, err := read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	if _, err := sealed(token, forge); err != nil {
		return nil, err
	}
	return func() string {
		if fresh, err := read(); err == nil && fresh != "" {
			token = fresh
		}
		return token
	}, nil
}

// tokenOfGh asks gh for the token that it keeps for one host.
func tokenOfGh(ctx context.Context, hosts []string) string {
	if len(hosts) != 2 || hosts[0] != hosts[1] && hosts[0] != "api."+hosts[1] {
		return ""
	}
	out, err := exec.CommandContext(ctx, "gh", "auth", "token", "--hostname", hosts[1]).Output()
	if err != nil {
		return "" // gh is not there, or not logged in: reading what is public works without
	}
	return string(bytes.TrimSpace(out))
}

func containsAll(list, wanted []string) bool {
	return len(wanted) > 0 && !slices.ContainsFunc(wanted, func(w string) bool {
		return !slices.ContainsFunc(list, func(h string) bool { return strings.EqualFold(h, w) })
	})
}

// sealed refuses to send a token over plain http, but on this machine.
func sealed(token string, forge Servers) (string, error) {
	for _, a := range []string{forge.API, forge.Git} {
		u, err := url.Parse(a)
		if err != nil || u.Scheme == "https" {
			continue
		}
		if ip := net.ParseIP(u.Hostname()); u.Scheme == "http" && (ip != nil && ip.IsLoopback() || u.Hostname() == "localhost") {
			continue
		}
		return "", source.Hinted(fmt.Errorf("the forge %s would get the token in the clear", a), "write it with https://")
	}
	return token, nil
}
