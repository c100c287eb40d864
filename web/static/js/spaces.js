// Makes spaces visible: a dot in the middle of each plain space, and a sign for what is easily
// taken for one or has no width. All of it lies over the text, so that the texts keep their nodes,
// their offsets and their width.

import { make } from './desk.js';

/** What gets a sign, in the order in which it is tried; the names are those of css/annotate.css. @type {[string, string][]} */
const SIGNS = [
  ['line', '\\r\\n|[\\n\\r\\u2028\\u2029]'],
  ['tab', '\\t'],
  ['nbsp', '[\\u00a0\\u2007\\u202f]'],
  ['wide', '[\\u1680\\u2000-\\u2006\\u2008-\\u200a\\u205f\\u3000]'],
  // A joiner between the parts of an emoji is no character to be seen.
  ['zero', '[\\u00ad\\u180e\\u200b\\u200c\\u2060\\ufeff]|(?<![\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d'],
  ['ltr', '[\\u200e\\u202a\\u202d\\u2066]'],
  ['rtl', '[\\u061c\\u200f\\u202b\\u202e\\u2067]'],
  ['end', '[\\u202c\\u2068\\u2069]'],
];
const FOUND = new RegExp(SIGNS.map(([name, of]) => `(?<${name}>${of})`).join('|'), 'gu');

/**
 * The spaces of a text, in order. Plain ones have the kind "space"; other kinds are "line" for the
 * end of a line, "tab", "nbsp" for what no line is broken at, "wide" for spaces of other widths,
 * "zero" for what has no width, and "ltr", "rtl" and "end" for what changes the direction.
 * @param {string} text
 * @returns {{kind: string, start: number, end: number}[]} in UTF-16 units
 */
export function spacesOf(text) {
  const out = [...text.matchAll(/ /g)].map(({ index }) => ({ kind: 'space', start: index, end: index + 1 }));
  for (const m of text.matchAll(FOUND)) {
    const kind = Object.entries(m.groups ?? {}).find(([, of]) => of !== undefined)?.[0] ?? '';
    out.push({ kind, start: m.index, end: m.index + m[0].length });
  }
  return out.sort((a, b) => a.start - b.start);
}

/** The places of UTF-16 units of an element in its text nodes, asked for in rising order. @param {Element} on */
function places(on) {
  const nodes = document.createTreeWalker(on, NodeFilter.SHOW_TEXT);
  let node = /** @type {Text|null} */ (nodes.nextNode());
  let begins = 0;
  return (/** @type {number} */ at) => {
    while (node && begins + node.length <= at) {
      begins += node.length;
      node = /** @type {Text|null} */ (nodes.nextNode());
    }
    return node && { node, offset: at - begins };
  };
}

/**
 * @param {HTMLElement[]} texts whose spaces are shown; what lies over one is put into the element
 * around it, which it is positioned in
 */
export function visibleSpaces(texts) {
  let shown = false;
  /** @type {Map<HTMLElement, HTMLElement>} */
  const layers = new Map();
  /** What was drawn in a layer. @type {Map<HTMLElement, string>} */
  const drawn = new Map();
  const sizes = new ResizeObserver((all) => { for (const { target } of all) draw(/** @type {HTMLElement} */ (target)); });

  /** @param {HTMLElement} on */
  function layer(on) {
    const known = layers.get(on);
    if (known) return known;
    const made = make('span', { className: 'space-signs', ariaHidden: 'true' });
    on.after(made);
    layers.set(on, made);
    return made;
  }

  /** Draws the spaces of a text anew. @param {HTMLElement} on */
  function draw(on) {
    const place = places(on);
    /** @type {[string, DOMRect][]} */
    const signs = [];
    const r = new Range();
    for (const { kind, start, end } of spacesOf(on.textContent ?? '')) {
      const from = place(start);
      if (!from) break;
      const to = Math.min(from.offset + end - start, from.node.length);
      r.setStart(from.node, from.offset);
      r.setEnd(from.node, to);
      const box = r.getClientRects()[0];
      if (box) signs.push([kind, box]);
    }
    const over = layer(on);
    const { left, top } = over.getBoundingClientRect();
    over.dir = getComputedStyle(on).direction;
    // Nothing leaves the page where nothing has moved: it would end the step of typing that the browser undoes.
    const looks = signs.map(([kind, box]) => [kind, box.left - left, box.top - top, box.width, box.height].join(' ')).join();
    if (drawn.get(over) === looks) return;
    drawn.set(over, looks);
    // The dots are shadows of one node: a long text has thousands.
    const plain = signs.filter(([kind]) => kind === 'space');
    const dots = make('b', {});
    dots.style.setProperty('box-shadow', plain.map(([, box]) => `${(box.left + box.width / 2 - left).toFixed(1)}px ${((box.top + box.bottom) / 2 - top).toFixed(1)}px`).join());
    over.replaceChildren(...(plain.length ? [dots] : []), ...signs.filter(([kind]) => kind !== 'space').map(([kind, box]) => {
      const sign = make('i', { className: `sign-${kind}` });
      for (const [name, px] of Object.entries({ left: box.left - left, top: box.top - top, width: kind === 'line' ? 0 : box.width, height: box.height })) {
        sign.style.setProperty(name, `${px}px`);
      }
      return sign;
    }));
  }

  function drawAll() {
    for (const on of texts) draw(on);
  }

  return {
    /** Draws the spaces anew after texts have been drawn. */
    draw() { if (shown) drawAll(); },
    /** @param {boolean} on */
    show(on) {
      shown = on;
      document.body.classList.toggle('spaces', on);
      if (!on) {
        sizes.disconnect();
        for (const over of layers.values()) over.replaceChildren();
        drawn.clear();
        return;
      }
      // Each text is drawn when it is first observed.
      for (const text of texts) sizes.observe(text);
    },
  };
}
