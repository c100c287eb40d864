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

/** Whether a text says nothing: it has only white space and characters that are not seen. @param {string} text */
export const blank = (text) => /^[\s\p{Cc}\p{Cf}]*$/u.test(text);

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

/** Takes blanks off the ends of a stretch that has more in it than blanks. @param {string} text @param {number} start @param {number} end @returns {[number, number]} */
export function trim(text, start, end) {
  const from = toUnits(text, start);
  const words = text.slice(from, toUnits(text, end));
  const [blanks, size] = [words.length - words.trimStart().length, words.trimEnd().length];
  return size ? [toCodePoints(text, from + blanks), toCodePoints(text, from + size)] : [start, end];
}

/** A character of a script that writes no blanks between words. */
const UNBROKEN = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\u30fc\uff70]/u;

/** The word around a unit, if its script writes words apart. @param {string} text @param {number} unit @param {string} [lang] @returns {any} a segment */
function wordAround(text, unit, lang) {
  const s = segments(text, 'word', lang).containing(unit);
  return isWord(s) && !UNBROKEN.test(s.segment) ? s : undefined;
}

/** Whether a character is part of a word that its script writes apart from others. @param {string} text @param {number} at @param {string} [lang] */
export const inWord = (text, at, lang) => wordAround(text, toUnits(text, at), lang) !== undefined;

/**
 * Moves [start, end) outward to whole words where the script writes words apart, and
 * elsewhere to grapheme clusters. Blanks at its ends are no part of it unless it is
 * nothing else. An empty stretch stays empty.
 * @param {string} text @param {number} start @param {number} end @param {string} [lang]
 */
export function snapWords(text, start, end, lang) {
  const [from, to] = trim(text, start, end).map((n) => toUnits(text, n));
  const last = from < to ? wordAround(text, to - 1, lang) : undefined;
  return outward(text, from < to ? wordAround(text, from, lang)?.index ?? from : from, last ? after(last) : to);
}

/**
 * The word that the character after a point is part of, else the one that ends there; also in
 * scripts that write no blanks between words. An empty stretch where there is none.
 * @param {string} text @param {number} at @param {string} [lang] @param {boolean} [before] a word that ends there counts
 */
export function wordAt(text, at, lang, before = true) {
  const all = segments(text, 'word', lang);
  const unit = toUnits(text, at);
  const s = (before ? [unit, unit - 1] : [unit]).map((n) => all.containing(n)).find(isWord);
  return s ? outward(text, s.index, after(s)) : outward(text, unit, unit);
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
