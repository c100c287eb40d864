// Package staging keeps the rows of an import out of sight until all of them are there. A campaign
// has one import under way at most. An [Import] is in one of these states:
//
//	state      staged_imports has its row       what readers see
//	staged     with a beat that rises           nothing of the import
//	dead       with a beat that stands still    nothing; the next program to look ends it
//	dropped    marked as dropped                nothing; its rows are deleted in steps
//	completed  again                            all of it, while its ratings begin to count in steps
//	published  no longer                        all of it
//
// Package intake decides what an import brings.
package staging
