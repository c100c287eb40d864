import test from 'node:test';
import assert from 'node:assert/strict';
import { difference, isJudged, offered, takeOver, unequal } from '../static/js/equal.js';
import { beginIds } from '../static/js/spans.js';

const value = (more = {}) => ({ scores: {}, comment: '', spans: [], no_errors: false, ...more });
const scored = (...scores) => scores.map((sqm) => ({ scores: sqm === null ? {} : { sqm }, comment: '' }));
const error = (more = {}) => ({ id: 's1', side: 'target', start: 2, end: 4, text: '👏x', severity: 'major', category: 'Style', ...more });

test('cards with the same text that are judged differently', () => {
  const cards = [{ same: [2, 3] }, {}, { same: [0, 3] }, { same: [0, 2] }];
  const pairs = (values) => unequal(cards, values).map(({ pair, what }) => [...pair, what]);
  assert.deepEqual(pairs(scored(1, 0, 1, 1)), []);
  assert.deepEqual(pairs(scored(1, 0, 1, 4)), [[0, 3, 'scores'], [2, 3, 'scores']]);
  assert.deepEqual(unequal([{}, {}], scored(1, 4)), []);
  const marked = (...all) => all.map((s) => value({ spans: s ? [s] : [] }));
  assert.deepEqual(pairs(marked(error(), null, error({ id: 'other', comment: 'why', subcategory: '' }), error())), []);
  for (const other of [{ start: 3 }, { end: 5 }, { severity: 'minor' }, { category: 'Fluency' }, { subcategory: 'Grammar' }, { side: 'source' }]) {
    assert.deepEqual(pairs(marked(error(), null, error(), error(other))), [[0, 3, 'errors'], [2, 3, 'errors']], JSON.stringify(other));
  }
  assert.equal(difference(value({ scores: { esa: 1 } }), value({ spans: [error()] })), 'scores and errors');
  // The order in which errors were marked says nothing.
  const [a, b] = [error(), error({ id: 's2', start: 7, end: 9 })];
  assert.equal(difference(value({ spans: [a, b] }), value({ spans: [b, a] })), '');
});

test('the judgement that is offered', () => {
  const cards = [{ same: [1, 2, 3] }, { same: [0, 2, 3] }, { same: [0, 1, 3] }, { same: [0, 1, 2] }, {}];
  const from = (values, i) => offered(cards, values, i);
  assert.equal(from(scored(null, null, null, null, 3), 0), undefined);
  assert.equal(from(scored(1, 2, null, 3, 3), 2), 1, 'the nearest one before');
  assert.equal(from(scored(null, null, null, 3, 3), 1), 3, 'the first one after');
  assert.equal(from(scored(1, 1, 1, 1, 3), 2), undefined, 'all agree');
  assert.equal(from(scored(1, 2, 2, 1, 3), 2), 0, 'the next one that differs');
  assert.equal(from(scored(1, 2, 3, 3, 3), 4), undefined, 'another text');
  assert.equal(from([value({ no_errors: true }), value(), value(), value(), value()], 1), 0);
  assert.ok(!isJudged(value({ comment: 'only this' })));
});

test('a judgement is taken over', () => {
  beginIds('p-');
  const gap = error({ id: 'a2', start: 5, end: 5, text: '', link: 'a1' });
  const from = value({ scores: { esa: 70 }, comment: 'theirs', spans: [error({ id: 'a1', comment: 'why', link: 'elsewhere' }), gap, error({ id: 'a3', side: 'source', link: 'a2' })] });
  const had = value({ scores: { esa: 3, other: 1 }, spans: [error({ id: 'p-1' })], no_errors: false });
  const before = structuredClone([from, had]);
  const got = takeOver(had, from);
  assert.deepEqual([from, had], before, 'nothing is changed');
  assert.deepEqual(got.scores, { esa: 70 });
  assert.equal(got.comment, 'theirs');
  assert.equal(takeOver({ ...had, comment: 'mine' }, from).comment, 'mine');
  assert.equal(takeOver({ ...had, comment: ' \n' }, from).comment, 'theirs');
  const ids = got.spans.map((s) => s.id);
  assert.equal(new Set([...ids, 'a1', 'a2', 'a3', 'p-1']).size, 7, 'ids of their own');
  assert.deepEqual(got.spans.map((s) => s.link), ['', ids[0], ids[1]], 'links lead to the card itself, and to no other segment');
  const bare = (spans) => spans.map((s) => ({ ...s, id: '', link: '' }));
  assert.deepEqual(bare(got.spans), bare(from.spans));
  assert.equal(difference(got, from), '');

  assert.deepEqual(takeOver(had, value({ no_errors: true, scores: { esa: 100 } })), value({ no_errors: true, scores: { esa: 100 }, rejected: [] }));
  assert.deepEqual(takeOver(...scored(null, 3)), { scores: { sqm: 3 }, comment: '' }, 'a protocol without errors');
});

test('what was decided on suggestions is taken over for the same ones', () => {
  const at = (id, start, more) => error({ id, start, end: start + 1, ...more });
  const theirs = [at('1', 1), at('2', 2), at('3', 3)];
  const mine = [at('1', 2), at('2', 1), at('3', 3, { severity: 'minor' }), at('4', 8)];
  const from = value({ spans: [at('x', 1, { suggestion: '1' }), at('y', 3, { suggestion: '3' })], rejected: ['2'] });
  const got = takeOver(value({ rejected: ['2', '4'] }), from, mine, theirs);
  assert.deepEqual(got.spans.map((s) => s.suggestion), ['2', undefined]);
  assert.deepEqual(got.rejected, ['1', '4'], 'an accepted one is not rejected; one of the card alone stays rejected');
});
