package wire

// A Job is work in the background, as a page that waits for it asks.
type Job struct {
	Busy  bool    `json:"busy"`
	Words string  `json:"words"` // what it is doing
	Share float64 `json:"share"` // done, 0 to 1
}
