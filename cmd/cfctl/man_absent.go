//go:build !man

package main

import "github.com/spf13/cobra"

// addMan adds nothing: man.go is for builds with the tag man.
func addMan(*cobra.Command, *terminal) {}
