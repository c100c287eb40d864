// What counts as a space that is shown, and where it stands.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spacesOf } from '../static/js/spaces.js';

/** @param {string} text */
const kinds = (text) => spacesOf(text).map(({ kind, start, end }) => [kind, start, end]);

test('kinds of spaces, in order', () => {
  assert.deepEqual(kinds('a b\u00a0c\td'), [['space', 1, 2], ['nbsp', 3, 4], ['tab', 5, 6]]);
  assert.deepEqual(kinds('\u202f\u3000\u2003'), [['nbsp', 0, 1], ['wide', 1, 2], ['wide', 2, 3]]);
  assert.deepEqual(kinds('x\u200by\u200cz\ufeff\u00ad'), [['zero', 1, 2], ['zero', 3, 4], ['zero', 5, 6], ['zero', 6, 7]]);
  assert.deepEqual(kinds('\u200ea\u200f\u2067b\u2069\u202c'), [['ltr', 0, 1], ['rtl', 2, 3], ['rtl', 3, 4], ['end', 5, 6], ['end', 6, 7]]);
  assert.deepEqual(kinds(''), []);
  assert.deepEqual(kinds('这波操作'), []);
});

test('a line ends once, however it is written', () => {
  assert.deepEqual(kinds('a\r\nb\nc\rd\u2028'), [['line', 1, 3], ['line', 4, 5], ['line', 6, 7], ['line', 8, 9]]);
});

test('joiners within an emoji are no characters to be seen', () => {
  assert.deepEqual(kinds('👨‍👩‍👧 👩🏽‍🚀 🏳️‍🌈'), [['space', 8, 9], ['space', 16, 17]]);
  assert.deepEqual(kinds('क्\u200dष'), [['zero', 2, 3]]);
});
