package main

import "github.com/spf13/cobra"

func newMigrateUndo(t *terminal) *cobra.Command {
	return &cobra.Command{Use: "undo", Hidden: true, RunE: func(*cobra.Command, []string) error { return nil }}
}
