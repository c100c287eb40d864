// Package stat holds the statistics that more than one package needs. Its functions
// take numbers and give numbers. A statistic that one package alone needs stands in
// that package.
//
//   - one variable: [Sum], [Mean], [Deviation], [Quantile], [Median], [Ranks]
//   - two variables: [Pearson], [Spearman], [TauB], and [Count] for the numbers of
//     pairs that Kendall's tau and pairwise accuracy are formed from
//
// A value that is missing is NaN, and so is a statistic that is undefined. Each
// function says whether it leaves out missing values.
package stat
