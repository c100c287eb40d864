import test from 'node:test';
import assert from 'node:assert/strict';
import { seams } from '../static/js/surface.js';

/** The characters before and after each seam. @param {string} text */
function around(text) {
  const points = [...text];
  return seams(text).map((n) => points[n - 1] + points[n]);
}

test('A long text has a seam every few hundred characters', () => {
  const at = seams('The ferry leaves at nine. '.repeat(200)); // 5,200 characters
  assert.ok(at.length >= 14 && at.length <= 17, `${at.length} seams`);
  assert.deepEqual(at, at.toSorted((a, b) => a - b));
});

test('A short text has no seam', () => {
  assert.deepEqual(seams('The ferry leaves. '.repeat(30)), []);
});

test('Seams count code points', () => {
  const text = '🛥 ferry '.repeat(100);
  for (const n of seams(text)) assert.equal([...text][n], 'f');
});

test('Seams lie only where a line may end and no letters are joined', () => {
  for (const pair of around('السيد يعتذر عن التأخير، وسيرسل المبلغ. '.repeat(40))) assert.match(pair, /^ \p{L}$/u);
  for (const pair of around('这波操作真绝了，全群都看呆了。“绝了”'.repeat(60))) assert.match(pair, /^(?:\p{sc=Han}|[，。])\p{sc=Han}$/u);
  // After an opening bracket, a no-break space and inside of a word a line goes on.
  for (const text of ['(a', '( ', 'a\u00a0', 'น้ำ', 'か', 'x']) assert.deepEqual(seams(text.repeat(300)), []);
  for (const pair of around('« a» b '.repeat(200))) assert.equal(pair, ' b');
});
