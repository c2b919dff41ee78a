package migrate

const rustTree = `-- README.md --
A WidgetSet is stored; its module is widgetset.
-- src/widgetset.rs --
#[kube(group = "old.example.com", version = "v1", kind = "WidgetSet", plural = "widgetsets")]
pub struct WidgetSetSpec { pub widget_set: String, item: Option<Item> }
-- src/item.rs --
#[kube(group = "old.example.com", version = "v1", kind = "Item")]
pub struct ItemSpec {}
-- src/main.rs --
use crate::widgetset::WidgetSet;
async fn reconcile_widget_set(set: Arc<WidgetSet>) {}
`

// typeCases are about types of kinds in programs of other languages.
var typeCases = []goCase{
	{
		name: "the type of a kind of several words in another language", in: []string{rustTree},
		rules: "  - id: kind\n    from: {group: old.example.com, kind: WidgetSet, plural: widgetsets}\n    to: {kind: GadgetGroup, plural: gadgetgroups}\n",
		after: `-- README.md --
A GadgetGroup is stored; its module is widgetset.
-- src/widgetset.rs --
#[kube(group = "old.example.com", version = "v1", kind = "GadgetGroup", plural = "gadgetgroups")]
pub struct GadgetGroupSpec { pub widget_set: String, item: Option<Item> }
-- src/main.rs --
use crate::widgetset::GadgetGroup;
async fn reconcile_widget_set(set: Arc<GadgetGroup>) {}
`,
	},
	{
		name: "the class of a kind whose group is a constant of another file", in: []string{`-- Consts.java --
class Consts { static final String GROUP = "old.example.com"; }
-- WidgetSet.java --
@Group(Consts.GROUP)
public class WidgetSet extends CustomResource<WidgetSetSpec, Void> {}
`},
		rules: "  - id: kind\n    from: {group: old.example.com, kind: WidgetSet, plural: widgetsets}\n    to: {kind: GadgetGroup, plural: gadgetgroups}\n",
		after: `-- GadgetGroup.java --
@Group(Consts.GROUP)
public class GadgetGroup extends CustomResource<GadgetGroupSpec, Void> {}
`, gone: "WidgetSet",
	},
	{
		name: "the class of a kind that another group has, too", in: []string{`-- a/WidgetSet.java --
@Group("old.example.com")
public class WidgetSet extends CustomResource<WidgetSetSpec, Void> {}
-- b/WidgetSet.java --
@Group("third.example.net")
public class WidgetSet extends CustomResource<WidgetSetSpec, Void> {}
`},
		rules:  "  - id: kind\n    from: {group: old.example.com, kind: WidgetSet, plural: widgetsets}\n    to: {kind: GadgetGroup, plural: gadgetgroups}\n",
		review: []string{"a/WidgetSet.java:1: type-name"}, keeps: "@Group(\"old.example.com\")\npublic class WidgetSet extends",
	},
	{
		name: "the class of another group", in: []string{`-- a.yaml --
apiVersion: old.example.com/v1
kind: WidgetSet
-- b/WidgetSet.java --
@Group("third.example.net")
public class WidgetSet extends CustomResource<WidgetSetSpec, Void> {}
`},
		rules: "  - id: kind\n    from: {group: old.example.com, kind: WidgetSet, plural: widgetsets}\n    to: {kind: GadgetGroup, plural: gadgetgroups}\n",
		keeps: "public class WidgetSet extends",
	},
	{
		name: "the type of a kind of one word in another language", in: []string{rustTree},
		rules:  "  - id: kind\n    from: {group: old.example.com, kind: Item, plural: items}\n    to: {kind: Entry, plural: entries}\n",
		review: []string{"src/item.rs:1: type-name"}, keeps: "pub struct ItemSpec {}\n#[kube(group = \"old.example.com\", version = \"v1\", kind = \"Entry\")]",
	},
	{
		name: "the type of a kind whose new name another one has", in: []string{rustTree},
		rules:  "  - id: kind\n    from: {group: old.example.com, kind: WidgetSet, plural: widgetsets}\n    to: {kind: Item, plural: items}\n",
		review: []string{"src/widgetset.rs:1: type-name"}, keeps: "pub struct WidgetSetSpec { pub widget_set: String, item: Option<Item> }",
	},
}
