package main

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestLoopsOverMaps(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), analyzer, "a")
}
