import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { inWord, length, slice, snap, snapWords, step, toCodePoints, toUnits, trim, wordAt } from '../static/js/codepoints.js';

// Written and checked by the test of internal/codepoint, so that the browser's
// code and the server's say the same of the same texts. Both follow Unicode 17
// here (uax29 2.7, ICU 78) and agree on every case; with another ICU a case may
// differ where Unicode changed a rule, as for conjuncts in 15.1.
const cases = JSON.parse(readFileSync(new URL('../../internal/codepoint/testdata/offsets.json', import.meta.url), 'utf8'));

test('the same offsets as on the server', () => {
  assert.ok(cases.length >= 75);
  for (const c of cases) {
    assert.equal(c.text.length, c.utf16, c.name);
    assert.equal(length(c.text), c.code_points, c.name);
    assert.equal(Buffer.byteLength(c.text), c.bytes, c.name);
    for (const s of c.spans) {
      const name = `${c.name} [${s.start}, ${s.end})`;
      assert.deepEqual([toUnits(c.text, s.start), toUnits(c.text, s.end)], [s.utf16_start, s.utf16_end], name);
      assert.deepEqual([toCodePoints(c.text, s.utf16_start), toCodePoints(c.text, s.utf16_end)], [s.start, s.end], name);
      assert.equal(slice(c.text, s.start, s.end), s.words, name);
    }
  }
});

test('the same grapheme clusters as on the server', () => {
  for (const c of cases) {
    const bounds = [0];
    for (let at = 0; at < c.code_points;) bounds.push(at = step(c.text, at, 1));
    assert.deepEqual(bounds, c.graphemes, c.name);
    const back = [c.code_points];
    for (let at = c.code_points; at > 0;) back.unshift(at = step(c.text, at, -1));
    assert.deepEqual(back, c.graphemes, `${c.name}, backward`);
    for (const s of c.spans) {
      assert.deepEqual(snap(c.text, s.start, s.end), [s.snap_start, s.snap_end], `${c.name} [${s.start}, ${s.end})`);
    }
  }
});

test('the same whole words as by the rules of UAX #29', () => {
  let n = 0;
  for (const c of cases) {
    for (const s of c.spans.filter((/** @type {any} */ o) => o.word_snap)) {
      n++;
      assert.deepEqual(s.start === s.end ? wordAt(c.text, s.start, 'en') : snapWords(c.text, s.start, s.end, 'en'), s.word_snap, `${c.name} [${s.start}, ${s.end})`);
    }
  }
  assert.ok(n >= 200, `${n} stretches`);
});

test('every offset of a text is what counting its characters says', () => {
  for (const { name, text } of cases) {
    const units = [0];
    for (const c of text) units.push(units[units.length - 1] + c.length);
    units.forEach((unit, n) => {
      assert.equal(toUnits(text, n), unit, name);
      assert.equal(toCodePoints(text, unit), n, name);
    });
    for (let unit = 0; unit <= text.length; unit++) assert.equal(toCodePoints(text, unit), [...text.slice(0, unit)].length, `${name} at unit ${unit}`);
  }
});

test('a text is measured again after many others', () => {
  for (let n = 0; n < 200; n++) length(`🚀 ${n}`);
  assert.equal(length('🚀 0'), 3);
  assert.equal(toUnits('🚀 0', 1), 2);
});

test('offsets outside of a text, and inside a surrogate pair', () => {
  assert.equal(toUnits('a🚀', 9), 3);
  assert.equal(toUnits('a🚀', -1), 0);
  assert.equal(toCodePoints('a🚀', 9), 2);
  assert.equal(toCodePoints('a🚀b', 2), 2);
  assert.deepEqual(snap('a🚀', 1, 9), [1, 2]);
  assert.deepEqual(snap('a🚀', -3, 1), [0, 1]);
});

/** @param {string} text @param {string} part @returns {[number, number]} */
const find = (text, part) => {
  const at = text.indexOf(part);
  return [toCodePoints(text, at), toCodePoints(text, at + part.length)];
};

test('a selection grows to whole words where they are written apart, and has no blanks at its ends', () => {
  for (const [lang, text, selected, want] of [
    ['en', 'The black cat sat.', 'lack ca', 'black cat'],
    ['en', 'The black cat sat.', ' cat ', 'cat'],
    ['en', 'The black cat sat.', 't.', 'sat.'],
    ['en', 'He said: “Stop!” and left.', ' “Sto', '“Stop'],
    ['en', 'He said: “Stop!” and left.', 'op!” an', 'Stop!” and'],
    ['en', 'I don’t know', 'on', 'don’t'],
    ['en', 'It costs 1,234.50 €, about', '34', '1,234.50'],
    ['en', 'It costs 1,234.50 €, about', '€,', '€,'],
    ['en', 'Well 👨‍👩‍👧, then', '👩', '👨‍👩‍👧'],
    ['en', 'One.\nTwo', '.\nT', '.\nTwo'],
    ['en', 'a mouth then', 'a ', 'a'],
    ['en', 'One.\r\nTwo', '.\r\n', '.'],
    ['de', 'Der süße Käse', 'ü', 'süße'],
    ['he', 'אני אוהב JavaScript 🚀 מאוד', 'הב Java', 'אוהב JavaScript'],
    ['ar', 'مَرْحَبًا بِالعَالَمِ', 'ح', 'مَرْحَبًا'],
    ['hi', 'नमस्ते दुनिया', 'स', 'नमस्ते'],
    ['ko', '안녕하세요 세계', '하', '안녕하세요'],
    ['zh', '今天天气很好。', '气', '气'],
    ['zh', '你好，世界！', '，世', '，世'],
    ['zh', '感谢Smith先生　的', 'mith先', 'Smith先'],
    ['zh', '感谢Smith先生　的', '生　', '生'],
    ['ja', 'カタカナと漢字。', '字。', '字。'],
    ['ja', 'コーヒー', 'ー', 'ー'],
    ['th', 'สวัสดีชาวโลก', 'าว', 'าว'],
    ['not a tag', 'The black cat', 'lac', 'black'],
    ['', 'The black cat', 'lac', 'black'],
    // Punctuation stays as it is, and so do blanks alone.
    ['en', 'Wait … what?', '…', '…'],
    ['en', 'Wait … what?', ' … ', '…'],
    ['en', 'Two  blanks', '  ', '  '],
    ['zh', '你好，世界！', '！', '！'],
  ]) {
    assert.equal(slice(text, ...snapWords(text, ...find(text, selected), lang)), want, `${text} / ${selected}`);
  }
});

test('the word at a point', () => {
  const text = 'One, 🚀 two';
  /** @param {number} at */
  const word = (at) => slice(text, ...wordAt(text, at, 'en'));
  assert.deepEqual([0, 1, 3, 5, 6, 7, 10].map(word), ['One', 'One', 'One', '🚀', '🚀', 'two', 'two']);
  assert.deepEqual(wordAt(text, 4, 'en'), [4, 4]);
  assert.deepEqual(wordAt(text, 3, 'en', false), [3, 3]);
  assert.deepEqual(wordAt('', 0, 'en'), [0, 0]);
  assert.equal(slice('今天天气很好。', ...wordAt('今天天气很好。', 3, 'zh')), '天气');
  assert.deepEqual(['a', '1', '，', '中', 'ย', ' '].map((c) => inWord(c, 0, 'en')), [true, true, false, false, false, false]);
});

test('blanks at the ends of a stretch', () => {
  assert.deepEqual(trim('a \u00a0🚀\r\n', 0, 6), [0, 4]);
  assert.deepEqual(trim('a \u00a0🚀\r\n', 1, 6), [3, 4]);
  assert.deepEqual(trim('a \r\n', 1, 4), [1, 4], 'it is nothing else');
  assert.deepEqual(trim('a', 1, 1), [1, 1]);
});

/** @param {string} text @param {1|-1} by @param {'start'|'end'} edge @param {string} lang */
function walk(text, by, edge, lang) {
  const out = [];
  for (let at = by > 0 ? 0 : length(text); at !== (by > 0 ? length(text) : 0);) out.push(at = step(text, at, by, edge, lang));
  return out;
}

test('steps by words', () => {
  const text = 'One, 🚀 two.';
  assert.deepEqual(walk(text, 1, 'end', 'en'), [3, 6, 10, 11]);
  assert.deepEqual(walk(text, 1, 'start', 'en'), [5, 7, 11]);
  assert.deepEqual(walk(text, -1, 'start', 'en'), [7, 5, 0]);
  assert.deepEqual(walk(text, -1, 'end', 'en'), [10, 6, 3, 0]);
  assert.deepEqual(walk('你好，世界！', 1, 'end', 'zh'), [2, 5, 6]);
  assert.deepEqual(walk('สวัสดีชาวโลก', -1, 'start', 'th'), [9, 6, 0]);
  assert.equal(step(text, 1, 1, 'end', 'en'), 3);
  assert.equal(step('', 0, 1), 0);
  assert.equal(step('', 0, -1, 'end'), 0);
});

test('every bound of a word that is given is one of a grapheme cluster', () => {
  // Where the two rules differ: a prefix holds on to what follows it.
  const text = 'a\u0600 b\u0600, c';
  for (const lang of ['en', 'th']) {
    for (const c of [...cases, { name: 'prefixes', text, code_points: 8, graphemes: [0, 1, 3, 4, 6, 7, 8] }]) {
      for (let at = 0; at <= c.code_points; at++) {
        for (const by of /** @type {(1|-1)[]} */ ([1, -1])) {
          for (const edge of /** @type {('start'|'end')[]} */ (['start', 'end'])) {
            const to = step(c.text, at, by, edge, lang);
            assert.ok(c.graphemes.includes(to), `${c.name}: ${at} by ${by} to the ${edge}: ${to}`);
            assert.ok(by > 0 ? to > at || at === length(c.text) : to < at || at === 0, `${c.name}: ${at} by ${by} to the ${edge}: ${to}`);
          }
        }
        const [start, end] = snapWords(c.text, at, Math.min(at + 2, c.code_points), lang);
        assert.ok(c.graphemes.includes(start) && c.graphemes.includes(end) && start <= end, `${c.name}: ${at}: [${start}, ${end})`);
      }
    }
  }
});
