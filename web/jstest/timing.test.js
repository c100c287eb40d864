import test from 'node:test';
import assert from 'node:assert/strict';
import { ActiveTime } from '../static/js/timing.js';

/** Attended from 0 ms, idle after 60 s. */
function started() {
  const t = new ActiveTime(60, 0);
  t.attend(true, 0);
  return t;
}

test('counts from the start, in seconds', () => {
  const t = started();
  assert.equal(t.take(2500), 2.5);
  assert.equal(t.take(2500), 0);
  assert.equal(t.take(4000), 1.5);
});

test('stops a while after the last input, goes on with the next', () => {
  const t = started();
  t.touch(10_000);
  t.touch(200_000); // 10 s + the 60 s after them; the next 130 s do not count
  assert.equal(t.take(205_000), 75);
});

test('does not count while hidden or without focus', () => {
  const t = started();
  t.attend(false, 5_000);
  t.touch(8_000);
  t.attend(true, 100_000);
  assert.equal(t.take(101_000), 6);
});

test('coming back is an input', () => {
  const t = started();
  t.attend(false, 1_000);
  t.attend(true, 1_000_000);
  assert.equal(t.take(1_030_000), 31);
});

test('never counts backwards', () => {
  const t = started();
  t.take(5_000);
  assert.equal(t.take(4_000), 0);
  assert.equal(t.take(6_000), 1);
});
