package find

import "testing"

// What a string is in the other languages that formats read.
func TestLanguages(t *testing.T) { reads(t, languagesRead) }

var languagesRead = []reading{
	{"a custom object of Python", "a.py", `
api.get_namespaced_custom_object("old.example.com", "v1", "default", "apples", name)
api.list_cluster_custom_object(group="old.example.com", version="v1", plural="cherries")
api.delete_namespaced_custom_object(
    "old.example.com",
    "v1",
    namespace,
    "apples",
    name,
)
`, `
1:35 literal old.example.com of v1 apples with v1 with apples
2:39 literal old.example.com of v1 cherries with v1 with cherries
4:6 literal old.example.com of v1 apples with v1 with apples
`},
	{"a dictionary of Python", "a.py", `
body = {
    "apiVersion": "old.example.com/v1",
    "kind": "Apple",
    "metadata": {"labels": {"old.example.com/name": "x"}},
    "spec": {},
}
`, `
2:20 literal old.example.com/v1 of Apple with Apple
4:30 key old.example.com/name
`},
	{"constants of Python", "a.py", `
GROUP = "old.example.com"
VERSION = "v1"
PLURAL = "apples"
HOST = 'old.example.com'
`, `
1:10 literal old.example.com of v1 apples with v1 with apples
4:9 host-name old.example.com
`},
	{"a format string of Python", "a.py", `
path = f"/apis/old.example.com/v1/namespaces/{ns}/apples"
doc = f"""
apiVersion: old.example.com/v1
kind: Apple
metadata: {{name: {name}}}
"""
`, `
1:16 rest-path old.example.com/v1 of apples with apples
3:13 api-version old.example.com/v1 of Apple with Apple
`},
	{"a manifest in a docstring", "a.py", `
def f():
    """Makes one.

    apiVersion: old.example.com/v1
    kind: Apple
    """
    return 'apples.old.example.com'  # old.example.com
`, `
4:17 api-version old.example.com/v1 of Apple with Apple
7:13 resource apples.old.example.com loose Apple
7:40 mention old.example.com
`},
	{"bytes and raw strings", "a.py", `
a = b'old.example.com/v1'
b = r"old\.example\.com"
c = R'''old.example.com/v1'''
`, `
1:7 literal old.example.com/v1
3:9 literal old.example.com/v1
`},
	{"an object of TypeScript", "a.ts", `
const apple = { apiVersion: 'old.example.com/v1', kind: 'Apple', metadata: { name } };
export const GVK = { group: "old.example.com", version: "v1", kind: "Apple" };
const url = ‵/apis/old.example.com/v1/namespaces/${ns}/apples‵;
`, `
1:30 literal old.example.com/v1 of Apple with Apple
2:30 literal old.example.com of v1 Apple with v1 with Apple
3:20 rest-path old.example.com/v1 of apples with apples
`},
	{"imports of TypeScript", "a.ts", `
import { Apple } from 'old.example.com/v1';
const x = require("old.example.com/v1");
// see old.example.com/v1
`, `
1:24 import old.example.com/v1
2:20 import old.example.com/v1
3:8 said-version old.example.com/v1
`},
	{"annotations of Java", "A.java", `
@Group("old.example.com")
@Version("v1")
@Kind("Apple")
@Plural("apples")
class Apple extends CustomResource<Spec, Status> {}
`, `
1:9 literal old.example.com of v1 Apple apples with v1 with Apple with apples apart apples
`},
	{"a builder of Java", "A.java", `
ResourceDefinitionContext c = new ResourceDefinitionContext.Builder()
    .withGroup("old.example.com")
    .withVersion("v1")
    .withKind("Apple")
    .withPlural("apples")
    .build();
`, `
2:17 literal old.example.com of v1 Apple apples with v1 with Apple with apples
`},
	{"a text block of Java", "A.java", `
String x = """
    apiVersion: old.example.com/v1
    kind: Apple
    """;
String y = "old.example.com"; /* old.example.com/v1 */
`, `
2:17 api-version old.example.com/v1 of Apple with Apple
5:13 literal old.example.com loose Apple
5:34 said-version old.example.com/v1
`},
	{"an attribute of Rust", "a.rs", `
#[kube(group = "old.example.com", version = "v1", kind = "Apple", namespaced)]
struct AppleSpec {}
let p = PatchParams::apply("old.example.com");
`, `
1:17 literal old.example.com of v1 Apple with v1 with Apple
3:29 agreed-name old.example.com
`},
	{"a raw string of Rust", "a.rs", `
let x = r#"{"apiVersion": "old.example.com/v1", "kind": "Apple"}"#;
`, `
1:28 api-version old.example.com/v1 of Apple with Apple
`},
	{"a manifest of Terraform", "main.tf", `
resource "kubernetes_manifest" "x" {
  manifest = {
    apiVersion = "old.example.com/v1"
    kind       = "Apple"
    metadata = {
      labels = { "old.example.com/name" = "x" }
    }
  }
}
resource "aws_route53_record" "y" {
  name = "old.example.com"
}
`, `
3:19 literal old.example.com/v1 of Apple with Apple
6:19 key old.example.com/name
11:11 host-name old.example.com
`},
	{"here documents of Terraform", "main.tf", `
x = <<-EOT
  apiVersion: old.example.com/v1
  kind: Apple
EOT
`, `
2:15 api-version old.example.com/v1 of Apple with Apple
`},
	{"here documents of Ruby", "a.rb", `
x = <<~EOS
  apiVersion: old.example.com/v1
  kind: Apple
EOS
list << "old.example.com/v1" << EOS
`, `
2:15 api-version old.example.com/v1 of Apple with Apple
5:10 literal old.example.com/v1 loose Apple
`},
	{"properties", "a.properties", `
api.group=old.example.com
api.version=v1
api.kind=Apple
host=old.example.com
`, `
1:11 group old.example.com of v1 Apple with v1 with Apple
4:6 other-name old.example.com
`},
	{"TOML", "a.toml", `
[api]
group = "old.example.com"
version = "v1"
plural = "apples"
[server]
host = "old.example.com"
`, `
2:10 literal old.example.com of v1 apples with v1 with apples
6:9 host-name old.example.com
`},
	{"Jsonnet", "a.jsonnet", `
{ apiVersion: 'old.example.com/v1', kind: 'Apple', metadata+: { labels+: { 'old.example.com/name': 'x' } } }
`, `
1:16 literal old.example.com/v1 of Apple with Apple
1:77 key old.example.com/name
`},
	{"Rego", "a.rego", `
deny[msg] {
  input.review.kind.group == "old.example.com"
  input.review.kind.kind == "Apple"
}
`, `
2:31 literal old.example.com of Apple with Apple
`},
	{"strings that do not end", "a.py", `
x = "old.example.com/v1
y = 'old.example.com'
`, `
1:6 said-version old.example.com/v1
2:6 literal old.example.com
`},
}
