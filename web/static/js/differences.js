// Where a text differs from another one: by word, and by character in scripts that are written
// without blanks. Offsets count code points.

import { bounds, length, slice } from './codepoints.js';

/** @typedef {{start: number, end: number, other: number}} Equal a stretch of a text, and where the same stretch begins in the other text */
/** @typedef {{equal: Equal[], changed: {start: number, end: number}[], missing: number[]}} Comparison changed: what lies between the equal stretches; missing: where only the other text has something */

/** Scripts that are written without blanks. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]/u;

/** How many pairs of tokens are compared at once, at most: two texts of 3,000 characters without blanks. */
const PAIRS = 3_000 * 3_000;

/** Where the tokens of a text begin, and its length at the end. @param {string} text @param {string} [lang] @returns {number[]} */
function tokens(text, lang) {
  const words = bounds(text, 'word', lang);
  const out = [];
  for (const [n, start] of words.slice(0, -1).entries()) {
    const word = slice(text, start, words[n + 1]);
    if (UNSPACED.test(word)) for (const at of bounds(word, 'grapheme').slice(0, -1)) out.push(start + at);
    else out.push(start);
  }
  return [...out, length(text)];
}

/**
 * The longest common subsequence of two lists of tokens, in which a word counts twice as much as
 * what is no word. Where there are too many pairs, the tokens that each list has once are
 * matched first, and then what lies between them.
 * @param {string[]} a @param {string[]} b @returns {[number, number][]} places in a and in b, both rising
 */
export function match(a, b) {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const inner = between(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return [
    ...Array.from({ length: head }, (_, n) => /** @type {[number, number]} */ ([n, n])),
    ...inner.map(([i, j]) => /** @type {[number, number]} */ ([head + i, head + j])),
    ...Array.from({ length: tail }, (_, n) => /** @type {[number, number]} */ ([a.length - tail + n, b.length - tail + n])),
  ];
}

/** @param {string[]} a @param {string[]} b @returns {[number, number][]} */
function between(a, b) {
  if (!a.length || !b.length) return [];
  if (a.length * b.length <= PAIRS) return longest(a, b);
  const found = anchors(a, b);
  if (!found.length) return [];
  /** @type {[number, number][]} */
  const out = [];
  let [i, j] = [0, 0];
  for (const [x, y] of [...found, /** @type {[number, number]} */ ([a.length, b.length])]) {
    for (const [n, m] of match(a.slice(i, x), b.slice(j, y))) out.push([i + n, j + m]);
    if (x < a.length) out.push([x, y]);
    [i, j] = [x + 1, y + 1];
  }
  return out;
}

/** @param {string[]} a @param {string[]} b @returns {[number, number][]} */
function longest(a, b) {
  const width = b.length + 1;
  // What can be gained from two places on.
  const gain = new Uint16Array((a.length + 1) * width);
  /** @type {Map<string, number>} */
  const numbers = new Map();
  const number = (/** @type {string} */ token) => {
    if (!numbers.has(token)) numbers.set(token, numbers.size);
    return numbers.get(token) ?? 0;
  };
  const [x, y] = [Int32Array.from(a, number), Int32Array.from(b, number)];
  const worth = a.map((token) => (/[\p{L}\p{N}]/u.test(token) ? 2 : 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1, at = i * width + j; j >= 0; j--, at--) {
      const most = Math.max(gain[at + width], gain[at + 1]);
      gain[at] = x[i] === y[j] ? Math.max(most, gain[at + width + 1] + worth[i]) : most;
    }
  }
  /** @type {[number, number][]} */
  const out = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const at = i * width + j;
    if (x[i] === y[j] && gain[at] === gain[at + width + 1] + worth[i]) out.push([i++, j++]);
    else if (gain[at] === gain[at + width]) i++;
    else j++;
  }
  return out;
}

/** The places of the tokens that each list has once: as many as come in the same order in both. @param {string[]} a @param {string[]} b */
function anchors(a, b) {
  const once = (/** @type {string[]} */ list) => {
    /** @type {Map<string, number>} */
    const places = new Map();
    list.forEach((token, n) => places.set(token, places.has(token) ? -1 : n));
    return places;
  };
  const there = once(b);
  /** @type {[number, number][]} */
  const pairs = [...once(a)].flatMap(([token, i]) => (i >= 0 && (there.get(token) ?? -1) >= 0 ? [/** @type {[number, number]} */ ([i, there.get(token) ?? 0])] : []));
  // The longest rising run: for each length the pair on which the lowest one ends.
  /** @type {number[]} */
  const ends = [];
  const before = pairs.map((pair, n) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[ends[middle]][1] < pair[1]) low = middle + 1;
      else high = middle;
    }
    ends[low] = n;
    return low ? ends[low - 1] : -1;
  });
  const out = [];
  for (let n = ends.at(-1) ?? -1; n >= 0; n = before[n]) out.push(pairs[n]);
  return out.reverse();
}

/**
 * Compares a text with another one. A blank that is the same between two words that differ
 * counts as changed, so that such words are one stretch.
 * @param {string} text @param {string} other @param {string} [lang] the language of both
 * @returns {Comparison}
 */
export function compare(text, other, lang) {
  const [at, there] = [tokens(text, lang), tokens(other, lang)];
  const cut = (/** @type {string} */ of, /** @type {number[]} */ places) => places.slice(1).map((end, n) => slice(of, places[n], end));
  /** @type {Equal[]} */
  const runs = [];
  for (const [i, j] of match(cut(text, at), cut(other, there))) {
    const last = runs.at(-1);
    if (last && last.end === at[i] && last.other + last.end - last.start === there[j]) last.end = at[i + 1];
    else runs.push({ start: at[i], end: at[i + 1], other: there[j] });
  }
  const equal = runs.filter(({ start, end }, n) => slice(text, start, end).trim() ||
    start === (runs[n - 1]?.end ?? 0) || end === (runs[n + 1]?.start ?? length(text)));
  const changed = [];
  const missing = [];
  let [from, seen] = [0, 0];
  for (const { start, end, other: begins } of [...equal, { start: length(text), end: length(text), other: length(other) }]) {
    if (from < start) changed.push({ start: from, end: start });
    else if (seen < begins) missing.push(start);
    [from, seen] = [end, begins + end - start];
  }
  return { equal, changed, missing };
}
