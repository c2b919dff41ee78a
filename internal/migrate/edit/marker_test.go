package edit

import "testing"

// A marker names the new group, beside the old one or alone.
func TestMarkers(t *testing.T) { rows(t, markerRows()) }

func markerRows() []row {
	marker := func(text string) string { return "package a\n\n// +kubebuilder:" + text + "\n" }
	return []row{
		{name: "rbac", file: "a.go", in: marker("rbac:groups=old.example.com,resources=anys,verbs=get"), want: marker("rbac:groups=new.example.org,resources=anys,verbs=get")},
		{name: "list", file: "a.go", in: marker("rbac:groups=apps;old.example.com;batch,resources=anys,verbs=get"), want: marker("rbac:groups=apps;new.example.org;batch,resources=anys,verbs=get")},
		{name: "there already", file: "a.go", in: marker("rbac:groups=old.example.com;new.example.org,resources=anys,verbs=get"), want: marker("rbac:groups=new.example.org,resources=anys,verbs=get")},
		{name: "last of the list", file: "a.go", in: marker("rbac:groups=new.example.org;old.example.com,resources=anys,verbs=get"), want: marker("rbac:groups=new.example.org,resources=anys,verbs=get")},
		{name: "both", file: "a.go", dual: true, in: marker("rbac:groups=old.example.com,resources=anys,verbs=get"), want: marker("rbac:groups=old.example.com;new.example.org,resources=anys,verbs=get")},
		{name: "apart", file: "a.go", in: marker("rbac:groups=fruit.example.com,resources=apples;pears,verbs=get"), told: "splits: fruit.example.com"},
		{name: "renamed", file: "a.go", in: marker("rbac:groups=tree.example.com,resources=plums;plums/status,verbs=get"), want: marker("rbac:groups=wood.example.org,resources=prunes;prunes/status,verbs=get")},
		{name: "group name", file: "a.go", in: "package a\n\n// +groupName=old.example.com\n", want: "package a\n\n// +groupName=new.example.org\n"},
	}
}
