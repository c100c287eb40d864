package wire

// A Job is the state of work in the background. A page that waits for it asks for this.
type Job struct {
	Busy  bool    `json:"busy"`  // it is not over
	Words string  `json:"words"` // what it is doing now
	Share float64 `json:"share"` // the part that is done, from 0 to 1
}
