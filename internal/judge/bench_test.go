package judge

import "testing"

// BenchmarkMachine measures how long a machine takes for one translation, without its model.
func BenchmarkMachine(b *testing.B) {
	for _, m := range Methods() {
		var cases []reference
		readTestdata(b, m.Name+".json", &cases)
		b.Run(m.Name, func(b *testing.B) {
			for i := range b.N {
				if _, _, err := m.Replay(cases[i%len(cases)].Case); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
