package storetest
import "testing"
func TestZZ(t *testing.T) {
	for range 40 { t.Run("", func(t *testing.T) { Postgres(t) }) }
}
func TestZL(t *testing.T) {
	for range 200 { t.Run("", func(t *testing.T) { Open(t) }) }
}
func TestZC(t *testing.T) {
	for range 40 { t.Run("", func(t *testing.T) { Campaign(t, Open(t).Store) }) }
}
func TestZD(t *testing.T) {
	for range 40 { t.Run("", func(t *testing.T) { Campaign(t, Postgres(t).Store) }) }
}
