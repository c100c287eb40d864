// What lies over the texts and takes no room: the caret, the handles of the mark in
// work, what would be marked, and the bar of that mark, which stands beside its words.

import { make } from './desk.js';
import { caretAt, endAt, range } from './surface.js';

/** Between the bar and the edge of what is in view, in pixels. */
const GAP = 8;
/** How far below its mark the bar still goes to stand under the whole text. */
const NEAR = 72;
/** How wide what hangs on the bar is at least, where the window is; a list that has this height goes on beside the buttons; what it has at least, even where that covers words. */
const LIST_WIDTH = 480;
/** How wide the bar is at most: its buttons have one line then. */
const WIDE = 1000;
const LIST = 280;
const LEAST = 120;

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
  // In a wide window its head stays in view while it scrolls.
  const head = /** @type {HTMLElement} */ (source.firstElementChild);
  const wide = matchMedia('(min-width: 761px)');

  // The handles of a mark reach further down where a finger takes them.
  const gap = matchMedia('(any-pointer: coarse)').matches ? 28 : GAP;
  const finger = matchMedia('(pointer: coarse)');
  const inSource = (/** @type {HTMLElement} */ on) => source.contains(on);

  /** The box in which a translation scrolls beside the source; null where it scrolls with the page. @param {HTMLElement} on */
  function boxOf(on) {
    if (!document.documentElement.matches('[data-side-by-side=on]')) return null;
    const box = on.closest('.card-scroll');
    return box && box.scrollHeight > box.clientHeight + 1 && getComputedStyle(box).overflowY === 'auto' ? box : null;
  }

  /** What scrolls a text. @param {HTMLElement} on */
  const scrollerOf = (on) => (inSource(on) && source.scrollHeight > source.clientHeight ? source : boxOf(on) ?? document.documentElement);

  /** What scrolls along with a text, and what the tools of its marks stand in. @param {HTMLElement} on */
  const host = (on) => /** @type {HTMLElement} */ (on.closest('.card-scroll, .source'));
  const frame = (/** @type {HTMLElement} */ on) => /** @type {HTMLElement} */ (on.closest('.card, .source'));

  /** The part of the window between strip and foot, which may scroll away with the page. */
  const between = () => ({ top: Math.max(0, strip.getBoundingClientRect().bottom), bottom: Math.min(innerHeight, foot.getBoundingClientRect().top) });

  /** Whether the source lies above the cards, and not beside them. */
  const folded = () => source.offsetWidth > work.clientWidth * 0.8;

  /** The part of the window that a text and the tools of its marks may take. @param {HTMLElement} on */
  function room(on) {
    const { top, bottom } = between();
    return { top: !inSource(on) && folded() ? Math.max(top, source.getBoundingClientRect().bottom) : top, bottom };
  }

  /** The part of the window in which a text is seen, and what scrolls it. @param {HTMLElement} on */
  function view(on) {
    let { top, bottom } = room(on);
    const scroller = scrollerOf(on);
    const within = inSource(on) ? source : boxOf(on);
    if (within) {
      const r = within.getBoundingClientRect();
      const covered = within === source && wide.matches ? head.offsetHeight : 0;
      [top, bottom] = [Math.max(top, r.top + covered), Math.min(bottom, r.bottom)];
    }
    return { top, bottom, scroller };
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

  /**
   * Where the bar stands, until its mark is left: dx and dy lead there from the first
   * word of the mark. For: what it was put there for. Below: it lies over what follows
   * the mark. Asked: the mark lacked something then.
   */
  let stands = { for: '', dx: 0, dy: 0, high: 0, below: false, asked: false };
  /** What hangs on the bar. @type {import('./desk.js').Asking|null} */
  let hangs = null;
  /** Whether a mouse or pen is over the bar. */
  let inside = false;
  bar.addEventListener('pointerenter', (e) => { inside = e.pointerType !== 'touch'; });
  bar.addEventListener('pointerleave', () => {
    inside = false;
    if (!bar.hidden) place();
  });

  /** The part of the window that the buttons of a bar may take; those of a mark in the source may reach beyond the source. @param {HTMLElement} on the text of its mark */
  const free = (on) => (inSource(on) ? between() : room(on));

  /** From where to where the bar may reach: that of a mark in the source leaves the cards beside it free. @param {HTMLElement} on @returns {[number, number]} */
  function sides(on) {
    const right = document.documentElement.clientWidth - GAP;
    return inSource(on) && !folded() ? [GAP, Math.min(right, source.getBoundingClientRect().right - GAP)] : [GAP, right];
  }

  /**
   * Where the bar goes when a mark becomes the one in work: above the words, since what
   * is marked next stands after them. Where there is no room it goes below: under a text
   * that ends soon, else under the words; for a finger to the end of the window, away from
   * the words that it marks next. Where the source lies above the cards, the bar of a mark in
   * it goes to the end of the window too, since the cards begin right below.
   * The bar covers words of its mark only where these fill what is in view.
   * @param {HTMLElement} on @param {ReturnType<typeof words>} at @returns {{x: number, y: number, below: boolean}}
   */
  function choose(on, at) {
    const { top, bottom } = free(on);
    const text = on.getBoundingClientRect();
    const [left, right] = sides(on);
    const atEnd = inSource(on) && folded();
    const room = { above: at.top - top - 2 * GAP, below: bottom - at.bottom - gap - GAP };
    const box = /** @type {HTMLElement} */ (bar.firstElementChild);
    box.style.removeProperty('max-height');
    // Buttons that have room on neither side scroll.
    const most = Math.max(room.above, room.below);
    if (!atEnd && most < bar.offsetHeight && most >= LEAST) box.style.setProperty('max-height', `${most - bar.offsetHeight + box.offsetHeight}px`);
    const [wide, high] = [bar.offsetWidth, bar.offsetHeight];
    const up = room.above >= high && !atEnd;
    const under = (text.bottom - at.bottom <= NEAR && text.bottom + gap + high <= bottom ? text.bottom : at.bottom) + gap;
    const last = bottom - high - GAP;
    let y = up ? at.top - GAP - high : under;
    if (!up && (atEnd || (finger.matches && last > under) || (under > last && at.top < bottom && at.bottom > top))) y = last;
    const edge = up ? at.first : at.last;
    const x = getComputedStyle(on).direction === 'rtl' ? edge.right - wide + GAP : edge.left - GAP;
    const least = inSource(on) ? left : Math.max(left, Math.min(frame(on).getBoundingClientRect().left, right - wide));
    return { x: Math.max(least, Math.min(x, right - wide)), y, below: !up };
  }

  /**
   * Puts the bar beside its mark. It stays there, with its buttons under the same finger,
   * until the mark is left, its words change, or the bar would be out of view.
   * @param {HTMLElement} on @param {import('./spans.js').Span} s
   */
  function beside(on, s) {
    const at = words(on, s);
    const [left, right] = sides(on);
    const lacks = desk.lacks(s);
    const what = [desk.opened, s.start, s.end, innerWidth, innerHeight].join();
    const { top, bottom } = free(on);
    const y = at.top + stands.dy;
    if (stands.for !== what || y < top || y + stands.high > bottom) {
      const same = stands.for.split(',')[0] === `${desk.opened}`;
      bar.style.setProperty('max-width', `${Math.min(WIDE, right - left)}px`);
      const to = choose(on, at);
      stands = { for: what, dx: to.x - at.first.left, dy: to.y - at.top, high: bar.offsetHeight, below: to.below, asked: same ? stands.asked : lacks };
      hangs = null;
    }
    put(bar, inSource(on) ? work : frame(on), at.first.left + stands.dx, at.top + stands.dy);
    // A mark that is out of view has its bar out of view as well. A bar over what follows
    // its mark goes once the mark lacks nothing and no hand is on the bar.
    const part = view(on);
    const away = (inSource(on) || boxOf(on)) && (at.bottom < part.top || at.top > part.bottom);
    const done = stands.below && stands.asked && !lacks && !desk.asking && !inside && !bar.contains(document.activeElement);
    bar.style.setProperty('visibility', away || done ? 'hidden' : 'visible');
    if (hangs === desk.asking) return;
    hangs = desk.asking;
    if (hangs) hang(on, at);
  }

  /**
   * Hangs the box on the bar: on its side that is turned away from the words if there is
   * room, else on the side of the words that has more room. Where both have little it
   * lies over the bar. It has the room there is in the window.
   * @param {HTMLElement} on @param {ReturnType<typeof words>} at
   */
  function hang(on, at) {
    const box = /** @type {HTMLElement} */ (bar.lastElementChild);
    const [left, right] = sides(on);
    box.removeAttribute('style');
    const r = bar.getBoundingClientRect();
    const wide = Math.min(Math.max(r.width, LIST_WIDTH), right - left);
    box.style.setProperty('width', `${wide}px`);
    const high = box.offsetHeight;
    const [over, under, end] = [at.top - GAP, at.bottom + gap, between().bottom - GAP]; // the foot stays free
    // Each is an edge that the box hangs on, and the room from there.
    const above = (/** @type {number} */ edge, /** @type {number} */ from = GAP) => ({ room: edge - from, bottom: r.bottom - edge });
    const below = (/** @type {number} */ edge) => ({ room: end - edge, top: edge - r.top });
    const down = r.top > at.bottom;
    const beside = down ? [below(r.bottom), above(r.top, under), above(over)] : [above(r.top), below(under)];
    const most = (/** @type {typeof beside} */ of) => of.reduce((a, b) => (b.room > a.room ? b : a));
    let to = beside.find((p) => p.room >= high) ?? beside.find((p) => p.room >= LIST) ?? most(beside);
    if (to.room < Math.min(high, LIST)) to = most([to, down ? below(under) : above(over)]);
    if (to.room < LEAST) to = down ? below(Math.min(under, end - LEAST)) : above(Math.max(over, LEAST + GAP));
    box.style.setProperty('--list', `${to.room}px`);
    if ('top' in to) box.style.setProperty('top', `${to.top - bar.clientTop}px`);
    else box.style.setProperty('bottom', `${to.bottom - bar.clientTop}px`);
    const x = getComputedStyle(on).direction === 'rtl' ? r.right - wide : r.left;
    box.style.setProperty('left', `${Math.max(left, Math.min(x, right - wide)) - r.left - bar.clientLeft}px`);
  }

  /** What is raised over source, strip and foot, with an open list in it. @type {HTMLElement|null} */
  let raised = null;

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
    raised?.classList.remove('raised');
    raised = over && desk.asking ? frame(over) : null;
    raised?.classList.add('raised');
    if (over && inSource(over) && bar.previousSibling !== source) source.after(bar);
    const text = over?.closest('.card-scroll');
    if (text && text.nextSibling !== bar) text.after(bar);
    // A mark without words has one handle, which takes it along. A given term has none.
    handles.forEach((h, i) => show(h, desk.rules.given || (!i && s?.start === s?.end) ? null : over));
    // What is read comes before what is written: from one to the other the browser lays
    // out the page again.
    const c = on && caretAt(on, desk.at.focus);
    const ends = s && over ? [caretAt(over, s.start), (s.start < s.end ? endAt : caretAt)(over, s.end)] : [];
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
      const on = desk.surface(desk.one()?.side ?? desk.own);
      if (bar.hidden || !on) return;
      const { top, bottom } = view(on);
      const r = bar.getBoundingClientRect();
      if (inSource(on) || boxOf(on) || r.top < top || r.bottom > bottom) place();
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
      // What is about to be brought into view does not stay where it is.
      if (desk.show && (seen.top < top + GAP || seen.bottom > bottom - GAP)) return undefined;
      return () => ({ y: caretAt(/** @type {HTMLElement} */ (desk.surface(side)), at).top, scroller: scrollerOf(on) });
    },
    /** Shows the caret elsewhere until the next paint. @param {import('./spans.js').Side} side @param {number} at */
    aim(side, at) {
      const on = desk.surface(side);
      const c = on && caretAt(on, at);
      if (!c) return;
      caret.hidden = false;
      host(on).append(caret);
      put(caret, host(on), c.x - 1, c.top, c.bottom - c.top);
    },
    /** Makes room for the pointer. @param {HTMLElement} [but] a handle that stays */
    hide(but) {
      bar.hidden = true;
      inside = false;
      for (const h of handles) h.hidden = h !== but;
    },
    /** Scrolls by the least that brings the caret, or the mark in work, into view. @param {'caret'|'mark'} what */
    reveal(what) {
      const s = what === 'mark' ? desk.one() : undefined;
      const on = desk.surface(s?.side ?? desk.at.side);
      if (!on) return;
      const away = () => {
        const { top, bottom } = view(on);
        const c = caretAt(on, desk.at.focus);
        const at = s ? words(on, s) : c;
        // Of a mark that is taller than the view its end counts, where the caret stands.
        const [from, to] = at.bottom - at.top > bottom - top - 4 * GAP ? [c.top, c.bottom] : [at.top, at.bottom];
        return from < top + GAP ? from - top - 3 * GAP : to > bottom - GAP ? to - bottom + 3 * GAP : 0;
      };
      if (!away()) return;
      // A box of its own comes into the window before it is scrolled.
      const r = boxOf(on)?.getBoundingClientRect();
      const { top: first, bottom: last } = room(on);
      const apart = !r ? 0 : r.bottom > last ? Math.min(r.bottom - last, r.top - first) : Math.min(0, r.top - first);
      document.documentElement.scrollBy({ top: apart, behavior: 'instant' });
      scrollerOf(on).scrollBy({ top: away(), behavior: 'instant' });
      // The bar has other room now. Nobody has seen where it was.
      stands.for = `${desk.opened}`;
      place();
    },
    /** Scrolls by the least that brings an open list into view. */
    revealList() {
      const r = /** @type {HTMLElement} */ (bar.lastElementChild).getBoundingClientRect();
      const by = r.bottom > innerHeight ? Math.min(r.bottom - innerHeight + GAP, r.top - GAP) : r.top < 0 ? r.top - GAP : 0;
      if (by) document.documentElement.scrollBy({ top: by, behavior: 'instant' });
    },
  };
}
