package edit

import "testing"

// A group that is spelled oddly is told to a person, however its letters, its dots or its
// pieces are written, in a file that holds an old name or one of the needles.
func TestOddSpellings(t *testing.T) {
	for _, x := range []struct{ name, file, in, told string }{
		{"a letter", "a.yaml", `x: "\u006fld.example.com/v1"`, `\u006fld.example.com`},
		{"a letter in the midst", "a.json", `{"x": "old.ex\u0061mple.com"}`, `old.ex\u0061mple.com`},
		{"two digits", "a.py", `x = "old.ex\x61mple.com"`, `old.ex\x61mple.com`},
		{"eight digits", "a.go", "package a\n\nvar x = \"old\\U0000002eexample.com\"\n", `old\U0000002eexample.com`},
		{"in braces", "a.ts", `const x = "old\u{2e}example\u{02e}com"`, `old\u{2e}example\u{02e}com`},
		{"octal digits", "a.go", "package a\n\nvar x = \"old\\056example.com\"\n", `old\056example.com`},
		{"a name", "a.py", `x = "old\N{FULL STOP}example.com"`, `old\N{FULL STOP}example.com`},
		{"of a string in another one", "a.json", `{"x": "{\"y\": \"old\\u002eexample\\u002ecom\"}"}`, `old\\u002eexample\\u002ecom`},
		{"of an address", "a.md", "<https://x.org/old%2Eexample%2ecom>", "old%2Eexample%2ecom"},
		{"references of HTML", "a.md", "old&#46;example&#x2e;com or old&period;example.com", "old&#46;example&#x2e;com; unknown-place: old&period;example.com"},
		{"where HTML may break it", "a.html", "<p>old.example<wbr>.com old.<wbr/>example.com</p>", "old.example<wbr>.com; unknown-place: old.<wbr/>example.com"},
		{"a class", "a.sh", `grep 'old[.]example[\.]com' x`, `old[.]example[\.]com`},
		{"some dots", "a.sh", `grep 'old.example\.com' x`, `old.example\.com`},
		{"four levels", "a.json", `{"x": "old\\\\.example\\\\.com"}`, `old\\\\.example\\\\.com`},
		{"two strings", "a.go", "package a\n\nvar x = \"old.example\" + \".com/v1\"\n", `old.example" + ".com`},
		{"two strings in two lines", "a.java", "class A { String x = \"old\"\n    + \".example.com\"; }", "old\"\n    + \".example.com"},
		{"a comment between", "a.go", "package a\n\nvar x = \"old.example\" + // one\n\t/* two */ \".com\"\n", "old.example\" + // one\n\t/* two */ \".com"},
		{"strings side by side", "a.py", "x = (\"old.example\"\n     f'.com/v1')", "old.example\"\n     f'.com"},
		{"words of a shell", "a.sh", `echo "old.example"'.com'`, `old.example"'.com`},
		{"a part of a word of a shell", "a.sh", `echo old.example'.com' o"ld.exam"ple.com`, `old.example'.com; unknown-place: o"ld.exam"ple.com`},
		{"filled in by a string", "a.ts", "const x = `old.example${\".com\"}/v1`", "old.example${\".com"},
		{"filled into a template", "a.tpl", `apiVersion: old.example{{ ".com" }}/v1`, `old.example{{ ".com`},
		{"a call", "a.ts", `const x = "old.example".concat(".com")`, `old.example".concat(".com`},
		{"an operator of Lua", "a.lua", `x = "old.example" .. ".com"`, `old.example" .. ".com`},
		{"arguments of a macro", "a.rs", `const X: &str = concat!("old.example", ".com");`, `old.example", ".com`},
		{"a list that is joined by a dot", "a.py", `x = ".".join(["old", "example", "com"])`, `old", "example", "com`},
		{"a list of a template", "a.tpl", `apiVersion: {{ list "old" "example" "com" | join "." }}/v1`, `old" "example" "com`},
		{"a format", "a.go", "package a\n\nvar x = f(\"old.%s.com/%s\", \"example\", v)\n", "old.%s.com"},
		{"a format of Python", "a.py", `x = "{}.{}.com".format("old", "example")`, `{}.{}.com`},
		{"a format of a shell", "a.sh", `x=$(printf 'old%sexample%scom' . .)`, `old%sexample%scom`},
		{"a format of a template", "a.tpl", `apiVersion: {{ printf "%s.com/v1" "old.example" }}`, `%s.com`},
		{"two lines of a shell", "a.sh", "kubectl get wells.old.example\\\n.com", "old.example\\\n.com"},
		{"two lines of YAML", "a.yaml", "x: \"kind: A\\napiVersion: old.exam\\\n     ple.com/v1\\n\"", "old.exam\\\n     ple.com"},
		{"two lines with a blank", "a.yaml", "x: \"a old.exam\\\n   ple.com\"", "old.exam\\\n   ple.com"},
	} {
		rows(t, []row{{name: x.name, file: x.file, in: x.in + "\n", told: "unknown-place: " + x.told}})
	}
	rows(t, []row{
		{name: "kept in a comment between", file: "a.go", in: "package a\n\nvar x = \"old.example\" + // cfctl:keep it stays\n\t\".com\"\n", stays: "by-hand: old.example\" + // cfctl:keep it stays\n\t\".com"},
		{name: "two words of a shell", file: "a.sh", in: "echo \"old.example\" \".com\"\n"},
		{name: "two strings of a list", file: "a.py", in: "x = [\"old.example\", \".com\"]\n"},
		{name: "a format of names", file: "a.py", in: "x = \"old.{}.com\".format(example, \"example\")\n"},
		{name: "words in quotes", file: "a.sh", in: "echo \"old.example\" '.com'; echo 'old.example'-.com\n"},
		{name: "two values", file: "a.yaml", in: "- 'old.example'\n- '.com'\n"},
		{name: "a longer word", file: "a.py", in: "x = \"b\" + \"old.\" + \"example.com\"\n"},
		{name: "another letter", file: "a.py", in: "x = \"old\\x2fexample.com\"\n"},
		{name: "another domain", file: "a.go", in: "package a\n\nvar x = \"old.example\" + \".com.au\"\n", stays: "longer-domain: old.example\" + \".com"},
		{name: "below two more", file: "a.go", in: "package a\n\nvar x = \"a.b.old.example\" + \".com\"\n", stays: "longer-domain: old.example\" + \".com"},
		{name: "an address", file: "a.go", in: "package a\n\nvar x = \"me@old.example\" + \".com\"\n", stays: "e-mail: old.example\" + \".com"},
		{name: "a host", file: "a.go", in: "package a\n\nvar x = \"https://old\\u002eexample.com/x\"\n", stays: "url: old\\u002eexample.com"},
		{name: "a key that no rule moves", file: "a.go", in: "package a\n\nvar x = \"also.example\" + \".com/owner\"\n", stays: "label-like: also.example\" + \".com"},
		{name: "a key that a rule moves", file: "a.go", in: "package a\n\nvar x = \"old.example\" + \".com/owner\"\n", told: "unknown-place: old.example\" + \".com"},
		{name: "no key", file: "a.go", in: "package a\n\nvar x = \"also.example\" + \".com/\" + y\n", told: "unknown-place: also.example\" + \".com"},
		{name: "filled into a format as a whole", file: "a.go", in: "package a\n\nvar x = f(\"internal.%s\", \"old.example.com\")\n\nvar y = \"example\"\n", told: "unknown-place: old.example.com"},
		{name: "an end", file: "a.py", in: "x = \"old.example.co\\"},
		{name: "beside the plain one", file: "a.py", in: "x = \"old.example.com\"\ny = \"a\\x2e\" + \"b\"\n", want: "x = \"new.example.org\"\ny = \"a\\x2e\" + \"b\"\n"},
	})
}
