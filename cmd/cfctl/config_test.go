package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/project"
)

// Each flag with a key comes to what the flag says, else the variable, else the
// file, else the default, in every command that has it. Each of the four is shown
// to win over the next with the key's own spelling.
func TestEveryKeyHasItsOrder(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir(".git", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, s := range settings(newRoot(newTerminal(nil, nil, io.Discard, io.Discard))) {
		one, two := twoValues(s)
		if err := os.WriteFile(config.Name, yamlOf(s, one), 0o600); err != nil {
			t.Fatal(err)
		}
		env := config.Variable(s.key) + "=" + two
		for _, user := range s.users {
			inFile, inEnv, inFlag := valueIn(t, user, s.flag.Name, ""), valueIn(t, user, s.flag.Name, "", env), valueIn(t, user, s.flag.Name, one, env)
			if inFile != one || inEnv != two || inFlag != one || one == strings.Trim(s.flag.DefValue, "[]") {
				t.Errorf("%s of %s: %q of the file %q, %q of the variable %q, %q of the flag %q, which has the default %q", s.key, user, inFile, one, inEnv, two, inFlag, one, s.flag.DefValue)
			}
		}
		if err := os.Remove(config.Name); err != nil {
			t.Fatal(err)
		}
		if got := valueIn(t, s.users[0], s.flag.Name, ""); got != strings.Trim(s.flag.DefValue, "[]") {
			t.Errorf("%s: %q without a configuration, want the default %q", s.key, got, s.flag.DefValue)
		}
	}
}

// twoValues are values that the flag of a key takes; the first is not its default.
func twoValues(s *setting) (string, string) {
	switch s.key {
	case "migrate.rulesets":
		return "one.yaml", "codeflare-groups"
	case "migrate.mode":
		return "dual", "replace"
	case "migrate.go-version-package":
		return "copy", "leave"
	case "migrate.target-version":
		return "1.30", "1.34"
	case "release.state":
		return "git", "file"
	}
	switch s.flag.Value.Type() {
	case "bool":
		return "true", "false"
	case "duration":
		return "7m0s", "9m0s"
	}
	return "go", "yaml"
}

// yamlOf is a configuration that says one key.
func yamlOf(s *setting, value string) []byte {
	if _, list := s.flag.Value.(pflag.SliceValue); list {
		value = "[" + value + "]"
	}
	var b strings.Builder
	indent := ""
	for _, name := range strings.Split(s.key, ".") {
		b.WriteString("\n" + indent + name + ":")
		indent += "  "
	}
	return []byte(b.String()[1:] + " " + value + "\n")
}

// valueIn is what a flag of a command comes to when the command line says given,
// if that is something.
func valueIn(t *testing.T, command, flag, given string, env ...string) string {
	t.Helper()
	for _, assignment := range env {
		variable, value, _ := strings.Cut(assignment, "=")
		t.Setenv(variable, value)
		defer os.Unsetenv(variable)
	}
	term := newTerminal(append(env, "CFCTL_TRUST_CONFIG=true"), nil, io.Discard, io.Discard)
	cmd, _, err := newRoot(term).Find(strings.Fields(command)[1:])
	if err == nil && given != "" {
		err = cmd.ParseFlags([]string{"--" + flag + "=" + given})
	}
	if err == nil {
		err = configure(term, cmd)
	}
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return strings.Trim(cmd.Flags().Lookup(flag).Value.String(), "[]")
}

// A command reads the configuration of a folder once, whoever asks for it and by
// whatever path: what its flags come to and what it does are of one text.
func TestConfigurationIsReadOnce(t *testing.T) {
	base := t.TempDir()
	sub := filepath.Join(base, "tree", "sub")
	if err := os.MkdirAll(filepath.Join(base, "tree", ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(base, "tree", config.Name)
	if err := os.WriteFile(name, []byte("matrix:\n  check:\n    offline: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(sub)
	term := newTerminal(nil, nil, io.Discard, io.Discard)
	if _, err := term.defaults(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("stack:\n  nonsense: true\n"), 0o600); err != nil { // as another program would, meanwhile
		t.Fatal(err)
	}
	v, err := (&project.Target{Dir: "../../tree/sub/.."}).Open(t.Context(), &term.User)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if v.Declared == nil || !v.Declared.Matrix.Check.Offline {
		t.Error("what is declared is of another text than the flags")
	}
	if file, err := term.Configs.Find(); err != nil || file.Path != "../"+config.Name || !strings.Contains(string(file.Data), "offline") {
		t.Errorf("%s: %v: %s", file.Path, err, file.Data)
	}
}
