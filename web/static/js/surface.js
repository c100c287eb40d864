// A text on the page in which errors are marked: drawing it with its marks, and
// finding what lies where. Its text nodes, put together, are the text exactly;
// all else that is drawn has no text.

import { RTL } from './bidi.js';
import { length, slice, snap, step, toCodePoints, toUnits } from './codepoints.js';
import { pieces } from './spans.js';

/** Lines below a text that have a place of their own. */
const LANES = 12;

/** How many lines of marks stand below the text where most overlap. @param {string} text @param {import('./spans.js').Span[]} spans @param {import('./spans.js').Side} side */
export const lanes = (text, spans, side) => most(pieces(text, drawable(text, spans, side), side));

/** The stretch that is drawn for a span that cuts a character. @type {WeakMap<import('./spans.js').Span, import('./spans.js').Span>} */
const widened = new WeakMap();

/**
 * The spans of a side, each around whole characters. An imported or suggested span may
 * begin or end between the code points of an emoji or of a syllable. A browser that draws
 * one character as two pieces misjudges where all that follows in its line stands.
 * @param {string} text @param {import('./spans.js').Span[]} spans @param {import('./spans.js').Side} side
 */
const drawable = (text, spans, side) => spans.filter((s) => s.side === side).map((s) => {
  const known = widened.get(s);
  if (known) return known;
  const [start, end] = snap(text, s.start, s.end);
  const whole = start === s.start && end === s.end ? s : { ...s, start, end };
  widened.set(s, whole);
  return whole;
});

/** @param {import('./spans.js').Piece[]} all */
const most = (all) => Math.max(0, ...all.flatMap((p) => (p.text ? p.marks.map((m) => m.lane + 1) : [])));

/** What each text shows now: for each piece words that say how it is built, and how it is styled; and its seams. @type {WeakMap<Element, {forms: string[], styles: string[], seams: number[]}>} */
const shown = new WeakMap();

/**
 * Draws a text with its marks. Only what looks other than before is drawn anew,
 * since a text may be long and have hundreds.
 * @param {HTMLElement} surface @param {string} text @param {import('./spans.js').Span[]} spans @param {import('./spans.js').Side} side
 * @param {(s: import('./spans.js').Span) => string} style classes of a mark
 * @param {number} [room] lines of marks to make room for at least; 0: the text keeps the height it has
 */
export function draw(surface, text, spans, side, style, room) {
  const before = shown.get(surface);
  const at = before?.seams ?? seams(text);
  const all = pieces(text, drawable(text, spans, side), side).filter((p) => p.text || p.marks.length).flatMap((p) => cut(p, at));
  const forms = all.map((p) => [p.text, ...p.marks.flatMap((m) => [m.id, m.lane, m.start === m.end])].join('\0'));
  const styles = all.map((p) => p.marks.map(style).join(' '));
  const old = before?.forms ?? [];
  if (!before) surface.replaceChildren();
  shown.set(surface, { forms, styles, seams: at });
  let head = 0;
  while (head < forms.length && forms[head] === old[head]) head++;
  let tail = 0;
  while (tail < Math.min(forms.length, old.length) - head && forms.at(-1 - tail) === old.at(-1 - tail)) tail++;
  const nodes = surface.childNodes;
  // What is only styled anew is not laid out anew.
  const restyle = (/** @type {number} */ now, /** @type {number} */ then) => {
    if (styles[now] !== before?.styles[then]) dress(/** @type {HTMLElement} */ (nodes[then]), all[now], style);
  };
  for (let i = 0; i < head; i++) restyle(i, i);
  for (let i = 1; i <= tail; i++) restyle(all.length - i, old.length - i);
  for (let n = old.length - head - tail; n > 0; n--) nodes[head].remove();
  const rest = nodes[head] ?? null;
  for (const p of all.slice(head, all.length - tail)) surface.insertBefore(piece(p, style), rest);
  if (room === 0) return;
  const lines = Math.min(Math.max(room ?? 0, most(all)), LANES);
  const now = lines > 1 ? ` lines-${lines}` : '';
  if (!surface.className.endsWith(now) || !now) surface.className = surface.className.replace(/ lines-\d+/, '') + now;
}

/** How many characters there are from one seam to the next, at least. */
const PART = 300;

/** A place where a line may end, whatever stands around it, and where letters are not joined. */
const SEAM = /(?<=[^\p{Ps}\p{Pi}\s] )(?=\p{L})|(?<=[。，！？；、])(?=\p{L})|(?<=\p{sc=Han})(?=\p{sc=Han})/gu;

/**
 * The seams of a long text. After a change the browser shapes all letters anew that may
 * be joined to those that changed, which in one long text are all: 10 ms and more for
 * 10,000 characters. It joins none across a seam, which is drawn as a `wbr`. The seams
 * depend on the text alone, so that they stay whatever is marked.
 * @param {string} text @returns {number[]} code points in rising order
 */
export function seams(text) {
  if (text.length < 2 * PART) return [];
  const out = [];
  let next = PART;
  for (const { index } of text.matchAll(SEAM)) {
    const at = toCodePoints(text, index);
    if (at < next) continue;
    out.push(at);
    next = at + PART;
  }
  return out;
}

/** What stands at a seam. @type {import('./spans.js').Piece} */
const BETWEEN = { start: 0, end: 0, text: '', marks: [] };

/** Cuts a piece at the seams that lie in it. @param {import('./spans.js').Piece} p @param {number[]} at */
function cut(p, at) {
  const inside = at.filter((n) => p.start <= n && n < p.end);
  if (!inside.length) return [p];
  const bounds = [p.start, ...inside, p.end];
  return bounds.slice(1).flatMap((end, i) => {
    const start = bounds[i];
    const part = start < end ? [{ ...p, start, end, text: slice(p.text, start - p.start, end - p.start) }] : [];
    return i ? [BETWEEN, ...part] : part;
  });
}

/** @param {import('./spans.js').Piece} p @param {(s: import('./spans.js').Span) => string} style @returns {Node} */
function piece({ text, marks: over }, style) {
  if (!text && !over.length) return document.createElement('wbr');
  if (!over.length) return document.createTextNode(text);
  const node = document.createElement('mark');
  const marks = text ? over : over.filter((m) => m.start === m.end);
  node.dataset.m = marks.map((m) => m.id).join(' ');
  if (/^[\r\n]+$/.test(text)) node.className = 'break';
  let inner = node;
  for (const _ of text ? marks : []) inner = inner.appendChild(document.createElement('span'));
  inner.append(text);
  dress(node, { text, marks: over }, style);
  return node;
}

/** Gives a piece its severities' lines. @param {HTMLElement} node @param {Pick<import('./spans.js').Piece, 'text'|'marks'>} p @param {(s: import('./spans.js').Span) => string} style */
function dress(node, { text, marks }, style) {
  if (!text) {
    const gap = marks.find((m) => m.start === m.end);
    node.className = `gap ${gap ? style(gap) : ''}${node.classList.contains('lit') ? ' lit' : ''}`;
    return;
  }
  let line = node.firstElementChild;
  for (const m of marks) {
    if (!line) return;
    line.className = `u ${style(m)} l${Math.min(m.lane, LANES - 1)}`;
    line = line.firstElementChild;
  }
}

/** The code point at a place in the page's tree. @param {HTMLElement} surface @param {Node} node @param {number} offset */
export function point(surface, node, offset) {
  const before = new Range();
  before.selectNodeContents(surface);
  const where = before.comparePoint(node, offset);
  if (where === 0) before.setEnd(node, offset);
  return where < 0 ? 0 : toCodePoints(surface.textContent ?? '', before.toString().length);
}

/** A stretch of the text in the page's tree. @param {HTMLElement} surface @param {number} start @param {number} end */
export function range(surface, start, end) {
  const text = surface.textContent ?? '';
  const out = new Range();
  out.selectNodeContents(surface);
  let from = toUnits(text, start);
  let to = toUnits(text, end);
  const all = document.createTreeWalker(surface, NodeFilter.SHOW_TEXT);
  let began = false;
  for (let n = all.nextNode(); n; n = all.nextNode()) {
    const size = n.nodeValue?.length ?? 0;
    // A stretch begins in the node after a bound and ends in the one before it.
    if (!began && (from < size || (start === end && from <= size))) {
      out.setStart(n, from);
      began = true;
    }
    if (to <= size) {
      out.setEnd(n, to);
      break;
    }
    from -= size;
    to -= size;
  }
  return out;
}

/** Whether a character is written from right to left. @param {HTMLElement} surface @param {string} c */
const isRtl = (surface, c) => RTL.test(c) || (!/[\p{L}\p{N}]/u.test(c) && getComputedStyle(surface).direction === 'rtl');

/**
 * Where a caret stands at a point, in pixels of the window: beside the character
 * after it, at the end of a line beside the one before.
 * @param {HTMLElement} surface @param {number} at
 */
export function caretAt(surface, at) {
  const text = surface.textContent ?? '';
  const after = slice(text, at, step(text, at, 1));
  const before = !after.trim() && at > 0;
  const c = before ? slice(text, step(text, at, -1), at) : after;
  const boxes = before ? range(surface, step(text, at, -1), at).getClientRects() : range(surface, at, step(text, at, 1)).getClientRects();
  const box = boxes[before ? boxes.length - 1 : 0] ?? surface.getBoundingClientRect();
  return { x: before === isRtl(surface, c) ? box.left : box.right, top: box.top, bottom: box.bottom };
}

/**
 * Where the end of a stretch of text stands, in pixels of the window: beside its last
 * character. Where two directions of writing meet, and at the end of a line, the character
 * after that one stands elsewhere.
 * @param {HTMLElement} surface @param {number} end
 */
export function endAt(surface, end) {
  const text = surface.textContent ?? '';
  const start = step(text, end, -1);
  const next = caretAt(surface, end);
  const box = [...range(surface, start, end).getClientRects()].filter((r) => r.width).at(-1);
  if (!box) return next;
  const sameLine = Math.abs(next.top - box.top) < box.height / 2;
  if (sameLine && Math.min(Math.abs(next.x - box.left), Math.abs(next.x - box.right)) < 1) return next;
  return { x: isRtl(surface, slice(text, start, end)) ? box.left : box.right, top: box.top, bottom: box.bottom };
}

/** The point nearest to a place in the window, if it lies in the text. @param {HTMLElement} surface @param {number} x @param {number} y @returns {number|undefined} */
export function hit(surface, x, y) {
  const at = document.caretPositionFromPoint?.(x, y);
  const old = at ? undefined : document.caretRangeFromPoint?.(x, y);
  const node = at?.offsetNode ?? old?.startContainer;
  if (!node || !surface.contains(node)) return undefined;
  return point(surface, node, at?.offset ?? old?.startOffset ?? 0);
}

/** @typedef {{near: number, on?: [number, number]}} Place what a place in the window is in a text: the point nearest to it, and the character under it */

/**
 * The place of a text that is nearest to one in the window: beside a line the end of the
 * line, above the text its start, below it its end. Undefined where something lies over
 * the text.
 * @param {HTMLElement} surface @param {number} x @param {number} y @returns {Place|undefined}
 */
export function placeOf(surface, x, y) {
  const at = hit(surface, x, y);
  if (at !== undefined) {
    // Where two directions of writing meet, one place in the window is two points of the
    // text, and the browser names either. Some browsers stop within a character of several
    // letters, such as those of Hindi. The half of the character that was hit decides.
    return character(surface, at, x, y) ?? { near: at };
  }
  const r = surface.getBoundingClientRect();
  const line = parseFloat(getComputedStyle(surface).lineHeight);
  if (y < r.top - line) return { near: 0 };
  if (y > r.bottom + line) return { near: length(surface.textContent ?? '') };
  const near = hit(surface, Math.min(Math.max(x, r.left + 1), r.right - 1), Math.min(Math.max(y, r.top + 2), r.bottom - 2));
  return near === undefined ? undefined : { near };
}

/** The point nearest to a place in the window. @param {HTMLElement} surface @param {number} x @param {number} y */
export const nearest = (surface, x, y) => placeOf(surface, x, y)?.near;

/**
 * The stretch of a text that is drawn as one shape with a character: the letters of a
 * ligature, of which the browser says that one has all of the width and the others none.
 * @param {HTMLElement} surface @param {string} text @param {number} start of the character @param {number} end
 * @returns {[number, number]}
 */
function shape(surface, text, start, end) {
  const joined = (/** @type {number} */ a, /** @type {number} */ b) => a < b && /^\p{L}/u.test(slice(text, a, b)) && ![...range(surface, a, b).getClientRects()].some((r) => r.width);
  if (!/^\p{L}/u.test(slice(text, start, end))) return [start, end];
  for (let n; joined(end, n = step(text, end, 1));) end = n;
  for (let n; joined(n = step(text, start, -1), start);) start = n;
  return [start, end];
}

/**
 * The character under a place in the window: its start, its end, and the half of it
 * that was hit, which is nearer to one of them. A ligature counts as one character. It is
 * looked for in the line of a point that the browser says is near.
 * @param {HTMLElement} surface @param {number} at @param {number} x @param {number} y @returns {Required<Place>|undefined}
 */
function character(surface, at, x, y) {
  const text = surface.textContent ?? '';
  const size = length(text);
  const before = step(text, at, -1);
  const first = step(text, before, 1) > at ? before : at; // not within a character
  for (const by of /** @type {const} */ ([1, -1])) {
    for (let from = first; by > 0 ? from < size : from > 0;) {
      const to = step(text, from, by);
      const [start, end] = by > 0 ? [from, to] : [to, from];
      const boxes = [...range(surface, start, end).getClientRects()].filter((r) => r.width);
      const box = boxes.find((r) => r.left <= x && x < r.right && r.top <= y && y <= r.bottom);
      if (box) {
        const [a, b] = shape(surface, text, start, end);
        return { on: [a, b], near: (x < (box.left + box.right) / 2) === isRtl(surface, slice(text, start, end)) ? b : a };
      }
      if (boxes.length && boxes.every((r) => y < r.top || r.bottom < y)) break; // of another line
      from = to;
    }
  }
  return undefined;
}

/** The start of the character under a place in the window; beside the text, the nearest point. @param {HTMLElement} surface @param {number} x @param {number} y @returns {number|undefined} */
export function under(surface, x, y) {
  const at = placeOf(surface, x, y);
  return at?.on?.[0] ?? at?.near;
}
