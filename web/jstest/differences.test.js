import test from 'node:test';
import assert from 'node:assert/strict';
import { compare, match } from '../static/js/differences.js';
import { length, slice } from '../static/js/codepoints.js';

/** Numbers from 0 to 1 that are the same in each run. @param {number} seed */
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const PARTS = [
  'ferry', 'leaves', 'the', 'The', 'don’t', '3.14', ' ', '  ', '\u00a0', '\u2009', '\u200b', '\n', '\r\n', '\t', ',', '。', '“', '…', '渡轮', '九', '点', '开', '東京', 'カタカナ', 'ひらがな', 'ทดสอบ', 'ภาษา',
  '한국어', 'العبّارة', 'في', 'שלום', 'क्षत्रिय', 'हिन्दी', 'e\u0301', 'é', '👨‍👩‍👧', '👏🏽', '🇩🇪', '🇩', '\u0301', '\u200d', '\ufe0f', '\u202e', '\u0600', '\ud83d', '\udc4f', '<b>', '&amp;', '𠮷', '𝒳', 'ﬁ', '',
];
const LANGS = ['en', 'zh', 'ja', 'th', 'ar', 'hi', 'no such tag'];

/** The parts of a comparison that must hold for any two texts. @param {string} text @param {string} other @param {string} [lang] */
function check(text, other, lang) {
  const what = JSON.stringify([text, other, lang]);
  const { equal, changed, missing } = compare(text, other, lang);
  let [from, seen] = [0, 0];
  for (const { start, end, other: at } of equal) {
    assert.ok(from <= start && start < end && seen <= at, what);
    assert.equal(slice(text, start, end), slice(other, at, at + end - start), what);
    [from, seen] = [end, at + end - start];
  }
  assert.ok(from <= length(text) && seen <= length(other), what);
  // What is equal and what is changed is all of the text, each once and in order.
  const all = [...equal, ...changed].sort((a, b) => a.start - b.start);
  assert.equal(all.reduce((at, { start, end }) => (assert.equal(start, at, what), end), 0), length(text), what);
  assert.equal(all.map(({ start, end }) => slice(text, start, end)).join(''), text, what);
  for (const at of missing) assert.ok(!changed.some(({ start, end }) => start <= at && at <= end), what);
  return { equal, changed, missing };
}

const words = (text, other, lang) => compare(text, other, lang).changed.map(({ start, end }) => slice(text, start, end));

test('what differs, by word', () => {
  assert.deepEqual(words('The old ferry leaves.', 'The new ferry leaves.', 'en'), ['old']);
  assert.deepEqual(words('The old ferry leaves.', 'The old ferry leaves.', 'en'), []);
  assert.deepEqual(words('two new words here', 'two quite other here', 'en'), ['new words'], 'the blank between them too');
  assert.deepEqual(words('a b', '', 'en'), ['a b']);
  assert.deepEqual(words('', 'a b', 'en'), []);
  assert.deepEqual(words('a\u00a0b', 'a b', 'en'), ['\u00a0']);
  assert.deepEqual(words('ferries sail', 'ferry sails', 'en'), ['ferries sail'], 'words are not compared by letter');
  assert.deepEqual(compare('the dog', 'the big dog', 'en').missing, [4]);
  assert.deepEqual(compare('x', 'x y', 'en').missing, [1]);
  assert.deepEqual(compare('y', 'x y', 'en').missing, [0]);
});

test('what differs, by character where there are no blanks', () => {
  assert.deepEqual(words('渡轮九点一刻开。', '渡轮九点半开。', 'zh'), ['一刻']);
  assert.deepEqual(words('𠮷野家へ行く', '吉野家へ行く', 'ja'), ['𠮷']);
  assert.deepEqual(compare('𠮷野家へ行く', '吉野家へ行く', 'ja').equal, [{ start: 1, end: 6, other: 1 }]);
  assert.deepEqual(words('ภาษาไทย', 'ภาษาลาว', 'th').join(''), 'ไทย');
});

test('random hostile texts: what is equal is equal, in order and at its place', () => {
  const cases = Number(process.env.ANNOTATE_DIFFERENCE_CASES ?? 300);
  const next = random(7);
  const pick = (list) => list[Math.floor(next() * list.length)];
  for (let n = 0; n < cases; n++) {
    const parts = Array.from({ length: Math.floor(next() * 30) }, () => pick(PARTS));
    const other = parts.flatMap((p) => (next() < 0.7 ? [p] : next() < 0.5 ? [] : [pick(PARTS), p]));
    const lang = pick(LANGS);
    check(parts.join(''), other.join(''), lang);
    check(other.join(''), parts.join(''), lang);
    const same = check(parts.join(''), parts.join(''), lang);
    assert.deepEqual([same.changed, same.missing], [[], []]);
  }
});

test('the longest common subsequence is the longest', () => {
  const next = random(11);
  const list = () => Array.from({ length: Math.floor(next() * 9) }, () => 'abc'[Math.floor(next() * 3)]);
  const best = (a, b) => (!a.length || !b.length ? 0 : a[0] === b[0] ? 1 + best(a.slice(1), b.slice(1)) : Math.max(best(a.slice(1), b), best(a, b.slice(1))));
  for (let n = 0; n < 200; n++) {
    const [a, b] = [list(), list()];
    const got = match(a, b);
    assert.ok(got.every(([i, j], k) => a[i] === b[j] && (!k || (got[k - 1][0] < i && got[k - 1][1] < j))));
    assert.equal(got.length, best(a, b), `${a} and ${b}`);
  }
});

test('texts that are too long to compare all pairs', () => {
  const sign = (n) => String.fromCodePoint(0x4e00 + (n % 5000));
  const text = Array.from({ length: 4200 }, (_, n) => sign(n * 7)).join('');
  const points = [...text];
  const other = ['前', ...points.slice(0, 2000), '新', '句', ...points.slice(2050), '后'].join('');
  const { changed, missing } = check(text, other, 'zh');
  assert.deepEqual([changed, missing], [[{ start: 2000, end: 2050 }], [0, 4200]]);
  // Nothing is rare enough to begin with: all of it is said to be changed.
  check('一二'.repeat(2500), '二一一'.repeat(2000), 'zh');
});
