//go:build e2e

package registry

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/testing/registrytest"
)

func TestImagesOnDistribution(t *testing.T) { testImages(t, registrytest.Distribution(t)) }
func TestImagesAlwaysOnDistribution(t *testing.T) {
	testAlwaysHighest(t, registrytest.Distribution(t), 60)
}
func TestImagesTroubleOnDistribution(t *testing.T) { testTrouble(t, registrytest.Distribution(t)) }
