package wire

import (
	"os"
	"testing"
)

// TestTypeScriptIsCurrent holds the types that the scripts are checked with against those
// of this package.
func TestTypeScriptIsCurrent(t *testing.T) {
	got, err := os.ReadFile("../../web/wire.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != TypeScript() {
		t.Error("web/wire.d.ts is not what package wire says: run go generate ./internal/wire")
	}
}
