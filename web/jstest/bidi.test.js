import test from 'node:test';
import assert from 'node:assert/strict';
import { isolated } from '../static/js/bidi.js';
import { called, missing } from '../static/js/rules.js';
import { found } from '../static/js/picker.js';

test('words from right to left stand by themselves in a sentence', () => {
  for (const text of ['الأخيرة', 'Smith שלום', '𞤀𞤣', 'a\u202eb']) assert.equal(isolated(text), `\u2068${text}\u2069`);
  for (const text of ['', 'Straße', '天气', '👍🏽', 'नाव']) assert.equal(isolated(text), text);
  const span = { id: 's1', side: 'target', start: 0, end: 7, text: 'الأخيرة', severity: '' };
  assert.equal(called(/** @type {any} */ (span)), '“\u2068الأخيرة\u2069”');
  assert.equal(missing({ scores: [], marking: /** @type {any} */ ({ severities: [] }) }, /** @type {any} */ ({ scores: {}, comment: '', spans: [span] }))?.what, 'a severity for “\u2068الأخيرة\u2069”');
});

test('what is isolated is found by its first letters', () => {
  assert.deepEqual(found([{ name: `${isolated('الأخيرة')} · minor`, keys: '1', value: 0 }, { name: '“bank” in segment 2', keys: '2', value: 1 }], 'الأ'), [0]);
});
