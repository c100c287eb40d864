// Offsets in a text. They count code points, as on the server, except where a
// parameter is called unit: the browser counts UTF-16 units. What is a grapheme
// cluster and what a word, the browser says, with the words of its dictionaries
// where a language is written without blanks.

/** @typedef {'grapheme'|'start'|'end'} Edge the bounds of grapheme clusters; only where words start; only where they end */

/** Making one takes longer than asking it. @type {Map<string, Intl.Segmenter>} */
const segmenters = new Map();

/** @param {'grapheme'|'word'} granularity @param {string} [lang] @returns {Intl.Segmenter} */
function segmenter(granularity, lang) {
  const name = `${granularity} ${lang}`;
  let made = segmenters.get(name);
  if (!made) {
    try {
      made = new Intl.Segmenter(lang, { granularity });
    } catch {
      made = new Intl.Segmenter(undefined, { granularity }); // not a language tag
    }
    segmenters.set(name, made);
  }
  return made;
}

/**
 * What was found out about a text. Every paint asks for it many times, and finding it
 * out reads the whole text.
 * @typedef {object} Table
 * @property {number} length
 * @property {Uint32Array|null} units where each code point begins, and the length of the text; null: points are units
 * @property {Uint32Array|null} points how many code points begin before each unit
 * @property {Map<string, Iterable<{index: number}> & {containing: (unit: number) => any}>} segments by granularity and language
 */

/** How many texts are remembered: those of a page with many cards. */
const REMEMBERED = 64;
/** The tables of the texts that were asked for last. @type {Map<string, Table>} */
const tables = new Map();

/** @param {string} text @returns {Table} */
function table(text) {
  const known = tables.get(text);
  if (known) return known;
  const made = measure(text);
  if (tables.size >= REMEMBERED) tables.delete(tables.keys().next().value ?? '');
  tables.set(text, made);
  return made;
}

/** @param {string} text @returns {Table} */
function measure(text) {
  const segments = new Map();
  if (!/[\ud800-\udfff]/.test(text)) return { length: text.length, units: null, points: null, segments };
  const all = [...text];
  const units = new Uint32Array(all.length + 1);
  const points = new Uint32Array(text.length + 1);
  let unit = 0;
  all.forEach((c, n) => {
    units[n] = unit;
    points.fill(n + 1, unit + 1, unit + c.length + 1);
    unit += c.length;
  });
  units[all.length] = unit;
  return { length: all.length, units, points, segments };
}

/** @param {string} text @param {'grapheme'|'word'} granularity @param {string} [lang] @returns {Iterable<{index: number}> & {containing: (unit: number) => any}} */
function segments(text, granularity, lang) {
  const { segments: known } = table(text);
  const name = `${granularity} ${lang}`;
  const found = known.get(name) ?? segmenter(granularity, lang).segment(text);
  known.set(name, found);
  return found;
}

/** A word has more in it than punctuation, blanks and controls: letters, digits, an emoji, a sign. @param {Intl.SegmentData|undefined} s */
const isWord = (s) => s && /[^\p{P}\p{Z}\p{C}]/u.test(s.segment);

/** Where a segment ends, in units. @param {any} s a segment */
const after = (s) => s.index + s.segment.length;

/** A number from 0 to a length. @param {number} n @param {number} length */
const within = (n, length) => Math.max(0, Math.min(n, length));

/** @param {string} text */
export const length = (text) => table(text).length;

/** The code point at a unit; inside a surrogate pair, the one after it. @param {string} text @param {number} unit */
export function toCodePoints(text, unit) {
  const { points } = table(text);
  const at = within(unit, text.length);
  return points ? points[at] : at;
}

/** The unit where a code point begins; the nearest end of the text for one outside. @param {string} text @param {number} point */
export function toUnits(text, point) {
  const { units, length: size } = table(text);
  const at = within(point, size);
  return units ? units[at] : at;
}

/** @param {string} text @param {number} start @param {number} end */
export const slice = (text, start, end) => text.slice(toUnits(text, start), toUnits(text, end));

/** Where the segments of a text begin, and its length at the end. @param {string} text @param {'grapheme'|'word'} granularity @param {string} [lang] */
export const bounds = (text, granularity, lang) => [...Array.from(segments(text, granularity, lang), ({ index }) => toCodePoints(text, index)), length(text)];

/** As snap, from units to code points. @param {string} text @param {number} from @param {number} to @returns {[number, number]} */
function outward(text, from, to) {
  const all = segments(text, 'grapheme');
  const start = toCodePoints(text, all.containing(from)?.index ?? from);
  return [start, from < to ? toCodePoints(text, after(all.containing(to - 1))) : start];
}

/**
 * Moves [start, end) outward to grapheme clusters. An empty stretch stays
 * empty, and moves to the start of the cluster it is in.
 * @param {string} text @param {number} start @param {number} end
 */
export const snap = (text, start, end) => outward(text, toUnits(text, start), toUnits(text, end));

/**
 * Moves [start, end) to whole words: outward to the ends of those it touches,
 * inward over punctuation and blanks around them. An empty stretch becomes the
 * word it touches. Without a word in reach it is as by snap.
 * @param {string} text @param {number} start @param {number} end @param {string} [lang]
 */
export function snapWords(text, start, end, lang) {
  const all = segments(text, 'word', lang);
  const from = toUnits(text, start);
  const to = toUnits(text, end);
  let first = all.containing(from);
  let last = all.containing(to - 1);
  if (from < to) {
    while (!isWord(first) && after(first) < to) first = all.containing(after(first));
    while (!isWord(last) && last.index > from) last = all.containing(last.index - 1);
  } else first = last = isWord(first) ? first : last;
  return isWord(first) ? outward(text, first.index, after(last)) : outward(text, from, to);
}

/**
 * The next bound after (1) or before (-1) a point; the end of the text that
 * way if there is none.
 * @param {string} text @param {number} point @param {1|-1} by @param {Edge} [edge] @param {string} [lang]
 */
export function step(text, point, by, edge = 'grapheme', lang) {
  const cluster = edge === 'grapheme';
  const all = segments(text, cluster ? edge : 'word', lang);
  const from = toUnits(text, point);
  for (let at = from; ;) {
    const s = all.containing(by > 0 ? at : at - 1);
    if (!s) return by > 0 ? length(text) : 0;
    at = by > 0 ? after(s) : s.index;
    const bound = { grapheme: at, start: s.index, end: after(s) }[edge];
    if ((cluster || isWord(s)) && (bound - from) * by > 0) return by > 0 ? outward(text, from, bound)[1] : outward(text, bound, from)[0];
  }
}
