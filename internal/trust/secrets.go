// Package trust knows what is secret: the one list of variables of the environment
// that hold secrets, and the values that a run has read, which are taken out of
// everything that is printed for display.
package trust

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// variables hold secrets: of cfctl, of gh, and of the CI systems that cfctl runs in.
var variables = []string{
	"GITHUB_TOKEN", "GH_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GITEA_TOKEN",
	"CFCTL_IMPORT_TOKEN", "CFCTL_IMPORT_PASSWORD", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "CFCTL_SMTP_PASSWORD", "CFCTL_SLACK_WEBHOOK", "CFCTL_JOURNAL_KEY",
	"ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ACTIONS_RUNTIME_TOKEN", "CI_JOB_TOKEN", "SYSTEM_ACCESSTOKEN",
}

// IsSecret says whether a variable of the environment holds a secret.
func IsSecret(variable string) bool { return slices.Contains(variables, variable) }

// minSecret is the length, in bytes, below which a value is no secret: to cut it
// out of texts would say more than it hides.
const minSecret = 6

// Secrets are the values that a run knows. The zero value knows none. It is safe
// for concurrent use.
type Secrets struct {
	mu     sync.Mutex
	values []string // the longest first: one may be a part of another
}

// Environment adds the secrets of an environment.
func (s *Secrets) Environment(env map[string]string) {
	for _, name := range variables {
		s.Add(env[name])
		if u, err := url.Parse(env[name]); err == nil && u.Host != "" {
			s.Add(u.Path) // of a webhook: a server repeats that alone
		}
	}
}

// Add adds a value from elsewhere, such as a token from a file.
func (s *Secrets) Add(value string) {
	if value = strings.TrimSpace(value); len(value) < minSecret {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, form := range []string{value, base64.StdEncoding.EncodeToString([]byte("x-access-token:" + value))} { // as git sends it
		if !slices.Contains(s.values, form) {
			s.values = append(s.values, form)
		}
	}
	slices.SortFunc(s.values, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
}

// Redact replaces the secrets in a text.
func (s *Secrets) Redact(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, value := range s.values {
		text = strings.ReplaceAll(text, value, "***")
	}
	return text
}
