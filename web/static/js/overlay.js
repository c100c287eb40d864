// What lies over the texts and takes no room: the caret, the handles of the mark in
// work, what would be marked, and the bar of that mark, which stands beside its words.

import { make } from './desk.js';
import { caretAt, range } from './surface.js';

/** Between the bar and the edge of what is in view, in pixels. */
const GAP = 8;
/** How far below its mark the bar still goes to stand under the whole text. */
const NEAR = 72;
/** What an open list has at least, even where that is not in view. */
const LIST = 120;

/** @param {import('./desk.js').Desk} desk */
export function overlay(desk) {
  const caret = make('span', { className: 'caret', ariaHidden: 'true' });
  /** @type {HTMLElement[]} */
  const handles = ['start', 'end'].map((edge) => make('span', { className: 'handle', ariaHidden: 'true', title: `drag the ${edge} of the mark` }));
  const bar = make('div', { className: 'mark-bar', id: 'mark-bar', role: 'toolbar', lang: 'en', dir: 'ltr', hidden: true });
  const strip = /** @type {HTMLElement} */ (document.querySelector('.strip'));
  const foot = /** @type {HTMLElement} */ (document.querySelector('.bar'));
  const work = /** @type {HTMLElement} */ (document.querySelector('.work'));
  const source = /** @type {HTMLElement} */ (document.getElementById('source'));

  // The handles of a mark reach further down where a finger takes them.
  const gap = matchMedia('(any-pointer: coarse)').matches ? 28 : GAP;
  const inSource = (/** @type {HTMLElement} */ on) => source.contains(on);

  /** What scrolls a text. @param {HTMLElement} on */
  const scrollerOf = (on) => (inSource(on) && source.scrollHeight > source.clientHeight ? source : document.documentElement);

  /** What scrolls along with a text. @param {HTMLElement} on */
  const host = (on) => /** @type {HTMLElement} */ (on.closest('.card, .source'));

  const stuck = (/** @type {HTMLElement} */ node) => getComputedStyle(node).position === 'sticky';

  /** The part of the window in which a text is seen, and what scrolls it. @param {HTMLElement} on */
  function view(on) {
    let top = stuck(strip) ? strip.getBoundingClientRect().bottom : 0;
    let bottom = stuck(foot) ? foot.getBoundingClientRect().top : innerHeight;
    const s = source.getBoundingClientRect();
    if (inSource(on)) [top, bottom] = [Math.max(top, s.top), Math.min(bottom, s.bottom)];
    else if (stuck(source) && s.width > work.clientWidth * 0.8) top = Math.max(top, s.bottom);
    return { top, bottom: Math.min(bottom, innerHeight), scroller: scrollerOf(on) };
  }

  /** Puts something at a place of the window, in what it is positioned in. @param {HTMLElement} node @param {HTMLElement} into @param {number} x @param {number} y @param {number} [height] */
  function put(node, into, x, y, height) {
    const r = into.getBoundingClientRect();
    node.style.setProperty('left', `${x - r.left - into.clientLeft}px`);
    node.style.setProperty('top', `${y - r.top - into.clientTop + into.scrollTop}px`);
    if (height !== undefined) node.style.setProperty('height', `${height}px`);
  }

  /** Selects in the browser what is selected here. @param {HTMLElement} on */
  function select(on) {
    const { anchor, focus } = desk.at;
    if (anchor === focus) return;
    const r = range(on, Math.min(anchor, focus), Math.max(anchor, focus));
    const [a, b] = anchor < focus ? ['start', 'end'] : ['end', 'start'];
    const ends = /** @type {any} */ ({ start: [r.startContainer, r.startOffset], end: [r.endContainer, r.endOffset] });
    getSelection()?.setBaseAndExtent(ends[a][0], ends[a][1], ends[b][0], ends[b][1]);
  }

  /** Where the words of a mark stand in the window, from the first line to the last. @param {HTMLElement} on @param {import('./spans.js').Span} s */
  function words(on, s) {
    const all = s.start < s.end ? [...range(on, s.start, s.end).getClientRects()].filter((r) => r.width) : [];
    if (!all.length) {
      const c = caretAt(on, s.end);
      all.push(new DOMRect(c.x, c.top, 0, c.bottom - c.top));
    }
    const line = (/** @type {DOMRect} */ of) => all.filter((r) => Math.abs(r.bottom - of.bottom) < of.height / 2);
    const edges = (/** @type {DOMRect[]} */ of) => ({ left: Math.min(...of.map((r) => r.left)), right: Math.max(...of.map((r) => r.right)) });
    // Lines of marks stand below the words.
    const lanes = Number(/ lines-(\d+)/.exec(on.className)?.[1] ?? 1);
    return {
      top: Math.min(...all.map((r) => r.top)), bottom: Math.max(...all.map((r) => r.bottom)) + 7 * (lanes - 1),
      first: edges(line(all[0])), last: edges(line(all[all.length - 1])),
    };
  }

  /** The mark that the bar stands beside, and on which side of it. @type {{id: string, below: boolean}} */
  let stands = { id: '', below: false };

  /**
   * Puts the bar beside its mark: above the words, since what is marked next stands
   * after them. A bar that has no room there or has a list open stands below: under a
   * text that ends soon, else under the words. It stays on its side until nothing more
   * is asked for. An open list has the height that is left. The bar covers words of
   * its mark only where these fill what is in view.
   * @param {HTMLElement} on @param {import('./spans.js').Span} s
   */
  function beside(on, s) {
    const { top, bottom } = view(on);
    const at = words(on, s);
    const text = on.getBoundingClientRect();
    bar.style.setProperty('--list', 'none');
    const box = /** @type {HTMLElement} */ (bar.lastElementChild);
    const high = bar.offsetHeight;
    const tools = high - (box.hidden ? 0 : box.offsetHeight);
    // The bar of a mark in the source may reach beyond the source.
    const end = inSource(on) && stuck(foot) ? foot.getBoundingClientRect().top : inSource(on) ? innerHeight : bottom;
    const begin = inSource(on) && stuck(strip) ? strip.getBoundingClientRect().bottom : inSource(on) ? 0 : top;
    const under = text.bottom - at.bottom <= NEAR && text.bottom + gap + high <= end ? text.bottom : at.bottom;
    const below = end - under - gap - GAP;
    const above = at.top - begin - 2 * GAP;
    const list = (/** @type {number} */ room) => Math.max(LIST, room - tools);
    const asked = !box.hidden || !s.severity || (!!desk.rules.categories?.length && !s.category);
    const down = asked && stands.id === s.id ? stands.below : !box.hidden;
    const wider = above > below && !box.hidden;
    const up = down ? high > below && (high <= above || wider) : high <= above || (high > below && wider);
    stands = { id: s.id, below: !up };
    let y = under + gap;
    if (up) {
      if (high > above) bar.style.setProperty('--list', `${list(above)}px`);
      y = at.top - GAP - Math.min(high, tools + (box.hidden ? 0 : list(above)));
    } else if (high > below && !box.hidden) bar.style.setProperty('--list', `${list(below)}px`);
    else if (high > below && at.top < end && at.bottom > begin) y = end - high - GAP;
    const rtl = getComputedStyle(on).direction === 'rtl';
    const wide = bar.offsetWidth;
    const edge = up ? at.first : at.last;
    const x = rtl ? edge.right - wide + GAP : edge.left - GAP;
    // A mark that is out of view has its bar out of view as well.
    bar.style.setProperty('visibility', inSource(on) && (at.bottom < top || at.top > bottom) ? 'hidden' : 'visible');
    const into = inSource(on) ? work : host(on);
    const least = Math.max(GAP, Math.min(into.getBoundingClientRect().left, document.documentElement.clientWidth - wide - GAP));
    put(bar, into, Math.max(least, Math.min(x, document.documentElement.clientWidth - wide - GAP)), y);
  }

  /** Shows caret, selection, handles and bar where they belong now. */
  function place() {
    const on = desk.closed() ? null : desk.surface(desk.at.side);
    const s = desk.closed() ? undefined : desk.one();
    const over = s && desk.surface(s.side);
    const show = (/** @type {HTMLElement} */ node, /** @type {HTMLElement|null|undefined} */ text) => {
      node.hidden = !text;
      if (text && node.parentNode !== host(text)) host(text).append(node);
    };
    show(caret, on);
    bar.hidden = !over;
    if (over && inSource(over) && bar.previousSibling !== source) source.after(bar);
    const text = over?.closest('.card .text');
    if (text && text.nextSibling !== bar) text.after(bar);
    for (const h of handles) show(h, s?.start === s?.end ? null : over);
    // What is read comes before what is written: from one to the other the browser lays
    // out the page again.
    const c = on && caretAt(on, desk.at.focus);
    const ends = s && over && s.start < s.end ? [caretAt(over, s.start), caretAt(over, s.end)] : [];
    if (on && c) put(caret, host(on), c.x - 1, c.top, c.bottom - c.top);
    if (over) ends.forEach((e, i) => put(handles[i], host(over), e.x - 6, e.top, e.bottom - e.top));
    if (s && over) beside(over, s);
    if (on) select(on);
  }

  let previewed = '';
  /** Shows what would be marked, as it will look. @param {import('./spans.js').Side} side @param {number} [start] @param {number} [end] */
  function preview(side, start = 0, end = start) {
    const on = desk.surface(side);
    CSS.highlights?.delete(previewed);
    // Named after the class: a class on the page or the text would have all that is
    // in it styled anew, which takes longer than anything else here.
    previewed = desk.style(desk.usual);
    if (on && start < end) CSS.highlights?.set(previewed, new Highlight(range(on, start, end)));
  }

  // The bar scrolls along with a translation. It is put elsewhere where it would be out of
  // view; beside a mark in the source, which scrolls on its own, always.
  let asked = false;
  document.addEventListener('scroll', (e) => {
    if (asked || bar.hidden || bar.contains(/** @type {Node} */ (e.target))) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      const on = desk.surface(desk.one()?.side ?? 'target');
      if (bar.hidden || !on) return;
      const { top, bottom } = view(on);
      const r = bar.getBoundingClientRect();
      if (inSource(on) || r.top < top || r.bottom > bottom) place();
    });
  }, { capture: true, passive: true });

  return {
    caret, handles, bar, place, preview, view,
    /** Where the words of the card in work stand that keep their place in the window while the page changes. */
    anchor() {
      const on = desk.card < 0 ? null : desk.surface(desk.at.side);
      if (!on) return undefined;
      const side = desk.at.side;
      const at = desk.at.focus;
      const { top, bottom } = view(on);
      const seen = caretAt(on, at);
      if (seen.bottom < top || seen.top > bottom) return undefined;
      return () => ({ y: caretAt(/** @type {HTMLElement} */ (desk.surface(side)), at).top, scroller: scrollerOf(on) });
    },
    /** Makes room for the pointer. @param {HTMLElement} [but] a handle that stays */
    hide(but) {
      bar.hidden = true;
      for (const h of handles) h.hidden = h !== but;
    },
    /** Scrolls by the least that brings the caret, or the mark in work, into view. @param {'caret'|'mark'} what */
    reveal(what) {
      const s = what === 'mark' ? desk.one() : undefined;
      const on = desk.surface(s?.side ?? desk.at.side);
      if (!on) return;
      const { top, bottom, scroller } = view(on);
      const c = caretAt(on, desk.at.focus);
      const at = s ? words(on, s) : c;
      // Of a mark that is taller than the view its end counts, where the caret stands.
      const [from, to] = at.bottom - at.top > bottom - top - 4 * GAP ? [c.top, c.bottom] : [at.top, at.bottom];
      const by = from < top + GAP ? from - top - 3 * GAP : to > bottom - GAP ? to - bottom + 3 * GAP : 0;
      if (by) scroller.scrollBy({ top: by, behavior: 'instant' });
      // A source that has room for no line of its own scrolls with the page.
      if (by) place();
    },
    /** Scrolls by the least that brings an open list into view. */
    revealList() {
      const r = bar.getBoundingClientRect();
      const { top, bottom } = view(document.body);
      const by = r.bottom > bottom ? Math.min(r.bottom - bottom + GAP, r.top - top - GAP) : r.top < top ? r.top - top - GAP : 0;
      if (by) document.documentElement.scrollBy({ top: by, behavior: 'instant' });
    },
  };
}
