package gorefactor

import "testing"

// promote steps the version of the tree's API.
var promote = []Rule{{Group: "widgets.example.com", Version: "v1alpha1", ToVersion: "v1"}}
