// Package training has the pages of training: the training set of a lead, and the results of those who train.
package training
