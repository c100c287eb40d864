import test from 'node:test';
import assert from 'node:assert/strict';
import { accepted, needed, rejected, undecided } from '../static/js/suggestions.js';
import { copy, same } from '../static/js/save.js';
import { table } from '../static/js/keys.js';

const suggested = ['1', '2', '10'].map((id, i) => ({ id, side: 'target', start: i, end: i + 1, text: 'abc'[i], severity: 'minor' }));
const empty = { scores: { score: 7 }, comment: '', spans: [], no_errors: true };
const ids = (list) => list.map((s) => s.id);

test('a suggestion waits until a mark came of it or it was rejected', () => {
  assert.deepEqual(ids(undecided(suggested, empty)), ['1', '2', '10']);
  const one = accepted(empty, [suggested[1]]);
  assert.deepEqual(ids(undecided(suggested, one)), ['1', '10']);
  assert.deepEqual(one.spans, [{ ...suggested[1], id: 's1', suggestion: '2' }]);
  assert.equal(one.no_errors, false);
  const two = rejected(rejected(one, '10'), '1');
  assert.deepEqual(two.rejected, ['1', '10']);
  assert.deepEqual(undecided(suggested, two), []);
  assert.deepEqual(ids(undecided(suggested, rejected(two, '1', true))), ['1']);
  // What was rejected can still be accepted; ids of marks stay unique.
  const all = accepted(two, [suggested[0], suggested[2]]);
  assert.deepEqual(all.rejected, []);
  assert.deepEqual(ids(all.spans), ['s1', 's2', 's3']);
  assert.deepEqual(empty, { scores: { score: 7 }, comment: '', spans: [], no_errors: true });
});

test('a card with undecided suggestions is not finished', () => {
  assert.deepEqual(needed(suggested, empty), { what: 'a decision on 3 suggestions', span: '?1' });
  assert.equal(needed(suggested, rejected(rejected(empty, '1'), '2'))?.what, 'a decision on 1 suggestion');
  assert.equal(needed(suggested, accepted(empty, suggested)), undefined);
  assert.equal(needed([], empty), undefined);
});

test('a rejection is a change to be saved', () => {
  const no = rejected(empty, '2');
  assert.ok(!same(empty, no));
  assert.ok(same(no, copy(no)));
  assert.ok(same(empty, rejected(no, '2', true)));
  assert.ok(!('rejected' in copy(empty)));
});

test('their keys are there only where there are some', () => {
  const acts = (m) => table([], { severities: [], ...m }).map((k) => k.act).filter((a) => a === 'accept' || a === 'reject');
  assert.deepEqual(acts({}), []);
  assert.deepEqual(acts({ suggestions: true }), ['accept', 'reject']);
});
