package stat

// An Ordering says how values compare with each other. Statistics that depend on nothing else share it, so that the values
// are sorted once.
type Ordering struct {
	places  []int32 // of the values, lowest first
	class   []int32 // by place: how many of the different values are lower
	classes int     // the number of different values
}

// NewOrdering orders values, none of which may be NaN.
func NewOrdering(x []float64) Ordering {
	o := Ordering{places: sortedPlaces(x), class: make([]int32, len(x))}
	for k, place := range o.places {
		if k == 0 || x[place] != x[o.places[k-1]] {
			o.classes++
		}
		o.class[place] = int32(o.classes - 1)
	}
	return o
}

// Places returns the places of the values, lowest value first. The caller must not change them.
func (o Ordering) Places() []int32 { return o.places }

// equal returns the number of values from the k-th lowest on, counted from 0, that are equal to it.
func (o Ordering) equal(k int) int {
	class, to := o.class[o.places[k]], k+1
	for to < len(o.places) && o.class[o.places[to]] == class {
		to++
	}
	return to - k
}

// Ranks returns the rank of each value, by place; see [Ranks].
func (o Ordering) Ranks() []float64 {
	out := make([]float64, len(o.places))
	for from := 0; from < len(o.places); {
		to := from + o.equal(from)
		for _, place := range o.places[from:to] {
			out[place] = float64(from+to+1) / 2
		}
		from = to
	}
	return out
}

// A Division puts the places of values into parts.
type Division struct {
	part   []int32 // by place
	number []int32 // by place: how many of the places before it are in the same part
	sizes  []int   // by part: the number of its places
}

// NewDivision divides places. part has the number of the part of each.
func NewDivision(part []int32, parts int) Division {
	d := Division{part: part, number: make([]int32, len(part)), sizes: make([]int, parts)}
	for place, k := range part {
		d.number[place] = int32(d.sizes[k])
		d.sizes[k]++
	}
	return d
}

// Divide returns the ordering of the values of each part, as NewOrdering would return it.
func (o Ordering) Divide(d Division) []Ordering {
	out := make([]Ordering, len(d.sizes))
	last := make([]int32, len(d.sizes)) // by part: the class of the value before
	for k, size := range d.sizes {
		out[k], last[k] = Ordering{places: make([]int32, 0, size), class: make([]int32, size)}, -1
	}
	for _, place := range o.places {
		k, class := d.part[place], o.class[place]
		part := &out[k]
		if class != last[k] {
			part.classes++
		}
		last[k] = class
		part.places = append(part.places, d.number[place])
		part.class[d.number[place]] = int32(part.classes - 1)
	}
	return out
}
