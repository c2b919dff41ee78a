package find

import "testing"

// What elements of XML, cells and columns tell of a group.
func TestTables(t *testing.T) { reads(t, tablesRead) }

var tablesRead = []reading{
	{"elements", "a.xml", `
<a:apiGroup>old.example.com</a:apiGroup>
<version>latest</version> <version>v1</version>
<kind>apple</kind> <kind>Apple</kind> <kind>Berry</kind>
</a>
<version>v1</version>
<group>old.example.com</group>
<kind>Apple</kind>
<host>old.example.com</host>
`, `
1:13 group old.example.com of v1 Apple with v1 with Apple
6:8 group old.example.com of v1 Apple with v1 with Apple
8:7 mention old.example.com
`},
	{"cells", "a.csv", `
old.example.com,v1,Apple,apples,apple,storage
v1,"old.example.com",Apple,berries
old.example.com/v1,v2,apples
see old.example.com now,v1,Apple
www,old.example.com
`, `
1:1 group old.example.com of v1 Apple apples with v1 with Apple with apples with apple
2:5 group old.example.com of v1 Apple with v1 with Apple
3:1 group old.example.com/v1 of apples with apples
4:5 mention old.example.com
5:5 mention old.example.com
`},
	{"columns", "a.md", `
    NAME    SHORT  API                  NAMESPACED  KIND
    apples  a      old.example.com/v1 true        Apple
    others  o      old.example.com    false       Apple
    old.example.com    v1    apples
    old.example.com    v1.2  apples
`, `
2:20 said-version old.example.com/v1 of Apple apples with Apple with apples
3:20 group old.example.com of Apple with Apple
4:5 group old.example.com of v1 apples with v1 with apples
5:5 mention old.example.com
`},
}
