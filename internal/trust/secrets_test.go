package trust

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestSecretsAreNotPrinted has each variable of the list, and a value that came
// from a file, in a text: alone, as git sends it, and as a part of another one.
func TestSecretsAreNotPrinted(t *testing.T) {
	env := map[string]string{"HOME": "/home/visible", "USER": "visible"}
	for i, name := range variables {
		env[name] = "secret-value-" + strings.Repeat(string(rune('a'+i)), 6)
		if !IsSecret(name) {
			t.Errorf("%s is no secret", name)
		}
	}
	env["CFCTL_SLACK_WEBHOOK"] = "https://hooks.example.com/services/secret-value-path"
	var s Secrets
	s.Environment(env)
	s.Add("from-a-file\n")
	s.Add("from-a-file-and-longer")
	s.Add("short")
	text := "visible from-a-file from-a-file-and-longer short " + base64.StdEncoding.EncodeToString([]byte("x-access-token:from-a-file"))
	for name := range env {
		text += " " + env[name]
	}
	text += " cannot POST /services/secret-value-path"
	got := s.Redact(text)
	if strings.Contains(got, "secret-value") || strings.Contains(got, "from-a-file") || strings.Contains(got, "longer") || strings.Contains(got, "eC1hY2Nlc3M") {
		t.Errorf("printed: %s", got)
	}
	if !strings.Contains(got, "visible") || !strings.Contains(got, "short") {
		t.Errorf("what is no secret is missing: %s", got)
	}
	if IsSecret("HOME") || (&Secrets{}).Redact("x") != "x" {
		t.Error("no secrets")
	}
}
