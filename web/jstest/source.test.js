import test from 'node:test';
import assert from 'node:assert/strict';
import { standing } from '../static/js/source.js';

test('a segment stands at one height, however much comes before it', () => {
  assert.deepEqual(standing({ top: 60, above: 120, view: 700, content: 300 }), { scroll: 0, rest: 0 }, 'the first one');
  for (const [top, content] of [[218, 500], [424, 700], [690, 740], [690, 2000]]) {
    const { scroll, rest } = standing({ top, above: 120, view: 700, content });
    assert.equal(top - scroll, 120);
    assert.ok(content + rest >= scroll + 700, 'the source can be scrolled so far');
    assert.ok(!rest || content + rest === scroll + 700, 'and no further than needed');
  }
});
