import test from 'node:test';
import assert from 'node:assert/strict';
import { seenAbove, standing } from '../static/js/source.js';

test('a segment stands at one height, however much comes before it', () => {
  assert.deepEqual(standing({ top: 60, above: 120, view: 700, content: 300 }), { scroll: 0, rest: 0 }, 'the first one');
  for (const [top, content] of [[218, 500], [424, 700], [690, 740], [690, 2000]]) {
    const { scroll, rest } = standing({ top, above: 120, view: 700, content });
    assert.equal(top - scroll, 120);
    assert.ok(content + rest >= scroll + 700, 'the source can be scrolled so far');
    assert.ok(!rest || content + rest === scroll + 700, 'and no further than needed');
  }
});

test('the lines before a segment are seen whole', () => {
  const line = 24;
  assert.equal(seenAbove([{ top: 100, bottom: 124, line }, { top: 68, bottom: 92, line }], 132), 64, 'two texts of a line each, with the room between them');
  assert.equal(seenAbove([{ top: 52, bottom: 124, line }, { top: 20, bottom: 44, line }], 132), 56, 'the last two lines of a long one');
  assert.equal(seenAbove([{ top: 100, bottom: 124, line }, { top: 20, bottom: 92, line }], 132), 64, 'a line, and the last line of a long one');
  assert.equal(seenAbove([{ top: 100, bottom: 124, line }], 132), 32, 'the first text');
});
