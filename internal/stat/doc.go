// Package stat holds the statistics that several packages need. A statistic that
// only one package needs is in that package.
//
//   - one variable: [Sum], [Mean], [Deviation], [Quantile], [Median], [Ranks]
//   - two variables: [Pearson], [PearsonOf], [Spearman], [TauB], and [Count] for the numbers of
//     pairs that Kendall's tau and pairwise accuracy are formed from
//   - intervals: [Resample], [PercentileInterval], [ExpandedLevel], and [Totals] of what adds up over documents
//
// Missing values and undefined statistics are NaN. Each function says whether it
// leaves out missing values.
package stat
