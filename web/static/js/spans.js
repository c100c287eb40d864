// The error spans of a card, as a list in the order in which they were marked.
// Nothing here changes a list: what is returned is a new one, or the one given
// where there was nothing to change. Offsets count code points.

import { slice, snap, step } from './codepoints.js';

/** @typedef {'source'|'target'|'reference'} Side target: the translation; reference: that of a segment, which has no translation */
/** @typedef {{source: string, target: string, reference: string}} Texts */
/** @typedef {import('../../wire').ErrorSpan} Span */
/** @typedef {Span & {lane: number}} Mark lane: number of the underline, 0 next to the text */
/** @typedef {{start: number, end: number, text: string, marks: Mark[]}} Piece */

/** The texts of a card, where errors are marked. @param {import('../../wire').State} state @param {number} i @returns {Texts} */
export const textsOf = (state, i) => ({ source: state.source ?? '', target: state.cards[i].text ?? '', reference: state.cards[i].text ?? '' });

let prefix = '';
let made = 0;

/**
 * Says what the ids of new spans begin with. The server gives each page a text of its own,
 * so that no id comes twice in a document, be it after a span was removed.
 * @param {string} text
 */
export function beginIds(text) {
  prefix = text;
  made = 0;
}

/** @param {Span[]} spans */
export function freshId(spans) {
  let n = (prefix ? made : spans.length) + 1;
  while (find(spans, `${prefix || 's'}${n}`)) n++;
  made = n;
  return `${prefix || 's'}${n}`;
}

/** @param {Span[]} spans @param {string|null} id @returns {any} a span, or undefined */
const find = (spans, id) => spans.find((s) => s.id === id);

/** A stretch moved outward to grapheme clusters, and its words. @param {string} text @param {number} from @param {number} to */
function place(text, from, to) {
  const [start, end] = snap(text, from, to);
  return { start, end, text: slice(text, start, end) };
}

/** @param {Span[]} spans @param {string} id @param {(s: Span) => Record<string, any>} change what is to be other in a span */
function replace(spans, id, change) {
  const s = find(spans, id);
  const to = s && change(s);
  return s && Object.keys(to).some((k) => to[k] !== (s[k] ?? '')) ? spans.with(spans.indexOf(s), { ...s, ...to }) : spans;
}

/**
 * Adds a span at the end of the list, moved outward to grapheme clusters; not
 * one that is empty or ends before it starts.
 * @param {Span[]} spans @param {Texts} texts
 * @param {Omit<Span, 'id'|'text'> & {id?: string}} span @param {boolean} [gap] it may be empty
 * @returns {Span[]}
 */
export function add(spans, texts, span, gap) {
  const at = place(texts[span.side], span.start, span.end);
  return at.text || gap ? [...spans, { id: freshId(spans), ...span, ...at }] : spans;
}

/** Takes a span away, and the links that point at it. @param {Span[]} spans @param {string} id */
export const remove = (spans, id) => (find(spans, id) ? spans.filter((s) => s.id !== id).map((s) => (s.link === id ? { ...s, link: '' } : s)) : spans);

/**
 * Changes what is said of a span. Another category begins without a
 * subcategory; a gap keeps both, for it can stand for nothing else. A link
 * must lead to another span, of the list or elsewhere.
 * @param {Span[]} spans @param {string} id
 * @param {Partial<Pick<Span, 'severity'|'category'|'subcategory'|'comment'|'link'>>} change
 * @param {{id: string}[]} [elsewhere] spans of other segments that can be linked to
 */
export const set = (spans, id, change, elsewhere = []) => replace(spans, id, (s) => {
  /** @type {Partial<Span>} */
  const to = { ...change };
  if (s.start === s.end) {
    delete to.category;
    delete to.subcategory;
  } else if ((to.category ?? s.category) !== s.category) to.subcategory ??= '';
  if (to.link && !find(remove(spans, id), to.link) && !elsewhere.some((o) => o.id === to.link)) delete to.link;
  return to;
});

/**
 * Moves an edge of a span as near to a point as goes; at least one grapheme
 * cluster stays. A gap moves as a whole.
 * @param {Span[]} spans @param {Texts} texts @param {string} id @param {'start'|'end'} edge @param {number} to
 */
export const resize = (spans, texts, id, edge, to) => replace(spans, id, ({ side, start, end }) => {
  if (start === end) start = end = to;
  else if (edge === 'start') start = Math.min(to, step(texts[side], end, -1));
  else end = Math.max(to, step(texts[side], start, 1));
  return place(texts[side], start, end);
});

/**
 * Moves an edge of a span by a grapheme cluster, and on over blanks, so that none is at an end
 * of a span that has more in it; not at all if nothing of the span would be left.
 * @param {Span[]} spans @param {Texts} texts @param {string} id @param {'start'|'end'} edge @param {1|-1} by
 */
export function nudge(spans, texts, id, edge, by) {
  /** @type {Span|undefined} */
  const s = find(spans, id);
  if (!s) return spans;
  const text = texts[s.side];
  let to = step(text, s[edge], by);
  if (s.start === s.end) return resize(spans, texts, id, edge, to);
  const inner = () => (edge === 'end' ? slice(text, step(text, to, -1), to) : slice(text, to, step(text, to, 1)));
  for (let next; s.text.trim() && !inner().trim(); to = next) {
    next = step(text, to, by);
    if (next === to) return spans; // only blanks are left of the text
  }
  return (edge === 'end' ? s.start < to : to < s.end) ? resize(spans, texts, id, edge, to) : spans;
}

/** @typedef {{start: number, end: number}} Stretch */
/** Whether two share a character, or a gap is inside of the other or the same. @param {Stretch} a @param {Stretch} b */
export const overlap = (a, b) => (a.start < b.end && b.start < a.end) || (a.start === b.start && a.end === b.end);

/** In the order of reading: the source first, what encloses before what is enclosed. @param {Span[]} spans */
export const inOrder = (spans) => spans.toSorted((a, b) => (Number(a.side !== 'source') - Number(b.side !== 'source')) || a.start - b.start || b.end - a.end);

/**
 * The span after (1) or before (-1) another in the order of reading, round and
 * round; without another, the first or last.
 * @param {Span[]} spans @param {string|null} id @param {1|-1} by @returns {Span|undefined}
 */
export function neighbour(spans, id, by) {
  const all = inOrder(spans);
  const i = all.indexOf(find(all, id));
  return all.at(i < 0 && by < 0 ? -1 : (i + by) % all.length);
}

/**
 * Cuts a text where marks begin and end. Each piece has the marks that cover
 * it, the innermost last. A gap is a piece without text, and covered by what
 * begins before and ends after it too. A span keeps its lane in all its pieces.
 * @param {string} text @param {Span[]} spans @param {Side} side of the text @returns {Piece[]}
 */
export function pieces(text, spans, side) {
  const points = [...text];
  /** @type {Mark[]} */
  const all = [];
  // Of hundreds of marks only those are looked at that reach so far.
  /** @type {Mark[]} */
  let near = [];
  for (const s of inOrder(spans.filter((o) => o.side === side))) {
    near = near.filter((o) => o.end >= s.start);
    let lane = 0;
    while (near.some((o) => o.lane === lane && overlap(o, s))) lane++;
    near.push({ ...s, lane });
    all.push(near[near.length - 1]);
  }
  const starts = all.map((s) => s.start);
  const gaps = starts.filter((n, i) => n === all[i].end);
  // A cut with a gap is there twice, so that a piece lies between.
  const cuts = [...new Set([0, points.length, ...starts, ...all.map((s) => s.end)]), ...new Set(gaps)].sort((a, b) => a - b);
  near = [];
  let next = 0;
  return cuts.slice(1).map((end, i) => {
    const start = cuts[i];
    while (next < all.length && all[next].start <= end) near.push(all[next++]);
    near = near.filter((s) => s.end >= start);
    return { start, end, text: points.slice(start, end).join(''), marks: near.filter((s) => overlap(s, { start, end })) };
  });
}
