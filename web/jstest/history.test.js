import test from 'node:test';
import assert from 'node:assert/strict';
import { History } from '../static/js/history.js';

const step = (index, before, after) => ({ index, before: { scores: { sqm: before }, comment: '' }, after: { scores: { sqm: after }, comment: '' } });

test('undo and redo in order', () => {
  const h = new History();
  h.push(step(0, 1, 2));
  h.push(step(1, 3, 4));
  assert.equal(h.undo()?.index, 1);
  assert.equal(h.undo()?.index, 0);
  assert.equal(h.undo(), undefined);
  assert.equal(h.redo()?.index, 0);
  assert.equal(h.redo()?.index, 1);
  assert.equal(h.redo(), undefined);
});

test('a new step ends what could be redone', () => {
  const h = new History();
  h.push(step(0, 1, 2));
  h.undo();
  h.push(step(0, 1, 3));
  assert.equal(h.redo(), undefined);
  assert.equal(h.undo()?.after.scores.sqm, 3);
});

test('says whether there is a step either way', () => {
  const h = new History();
  const both = () => [h.has('undo'), h.has('redo')];
  assert.deepEqual(both(), [false, false]);
  h.push(step(0, 1, 2));
  assert.deepEqual(both(), [true, false]);
  h.undo();
  assert.deepEqual(both(), [false, true]);
});

test('a card changed from elsewhere is forgotten', () => {
  const h = new History();
  h.push(step(0, 1, 2));
  h.push(step(1, 1, 2));
  h.forget(1);
  assert.equal(h.undo()?.index, 0);
});
