package find

import "testing"

// A group that is the key of a map is a group only where something says so: the name
// of the map, or what is written behind the key.
func TestKeysOfMaps(t *testing.T) { reads(t, keysOfMapsRead) }

var keysOfMapsRead = []reading{
	{"an index", "a.go", `
package a

var a = seen["old.example.com"]
var b = groups["old.example.com"]
var c = gvks["old.example.com"]
var d = seen["old.example.com", x]
`, `
3:15 key-of-map old.example.com
4:17 literal old.example.com
5:15 literal old.example.com
6:15 literal old.example.com
`},
	{"a key that a method is called with", "a.java", `
seen.put("old.example.com", 1);
groups.put("old.example.com", 1);
seen.containsKey("old.example.com");
seen.containsKey("old.example.com" + x);
Map.of("old.example.com", 1);
Map<String, String> groups = Map.of("old.example.com", 1);
List.of("old.example.com");
`, `
1:11 key-of-map old.example.com
2:13 literal old.example.com
3:19 key-of-map old.example.com
4:19 literal old.example.com
5:9 key-of-map old.example.com
6:38 literal old.example.com
7:10 literal old.example.com
`},
	{"entries of a map", "a.go", `
package a

var a = map[string]int{"old.example.com": 1}
var b = map[Group]int{"old.example.com": 1}
var c = map[string]string{"old.example.com": "v1"}
var d = map[string]string{"old.example.com": "Apple", "x": "y"}
var e = map[string][]string{"old.example.com": {"apples"}}
var f = map[string][]string{"old.example.com": {"apples.old.example.com"}}
var g = map[string]int{"old.example.com": 1, "x": apples("v1")}
var h = map[string]func(){"old.example.com": v1.AddToScheme}
var i = map[string]any{"old.example.com": v1beta1.Known, "y": 1}
var j = map[string]string{"old.example.com": groupOf(x)}
`, `
3:25 key-of-map old.example.com
4:24 literal old.example.com
5:28 literal old.example.com loose v1
6:28 literal old.example.com loose Apple
7:30 literal old.example.com
8:30 literal old.example.com
8:50 resource apples.old.example.com
9:25 key-of-map old.example.com
10:28 literal old.example.com
11:25 literal old.example.com
12:28 literal old.example.com
`},
	{"entries in other languages", "a.tf", `
a = {"old.example.com" = 1}
b = {"old.example.com" == 1}
groups = {"old.example.com" = 1}
`, `
1:7 key-of-map old.example.com
2:7 literal old.example.com
3:12 literal old.example.com
`},
	{"entries of Ruby", "a.rb", `
a = {"old.example.com" => 1}
b = ["old.example.com", 1]
`, `
1:7 key-of-map old.example.com
2:7 literal old.example.com
`},
	{"branches", "a.go", `
package a

func f(x string) {
	switch x {
	case "old.example.com":
	case "x",
		"y",
		"old.example.com":
	}
	g(map[string]int{
		"x": 1,
		"old.example.com": 1,
	})
}
`, `
5:8 literal old.example.com
8:4 literal old.example.com
12:4 key-of-map old.example.com
`},
	{"declared with a colon", "a.py", `
x = {"old.example.com": 1}
y = {"old.example.com": "v1"}
assert "old.example.com" := x
`, `
1:7 key-of-map old.example.com
2:7 literal old.example.com loose v1
3:9 literal old.example.com
`},
}
