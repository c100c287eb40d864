// Marking errors on the card in work: what keys and pointer ask for is done here.
// Between them a caret of ours stands in the text, and a mark may be picked.

import { length, slice, snapWords, step } from './codepoints.js';
import { add, neighbour, nudge, remove, set } from './spans.js';
import { called, standsAlone, tally } from './rules.js';
import { caretAt, draw, hit } from './surface.js';
import { Desk } from './desk.js';
import { overlay, reveal } from './overlay.js';
import { markList } from './marklist.js';
import { markBar } from './markbar.js';
import { pointer } from './pointer.js';

/** @typedef {import('./spans.js').Span} Span */
/** @typedef {import('./spans.js').Side} Side */
/** @typedef {import('./save.js').Value} Value */

/**
 * @param {object} page
 * @param {any} page.state the page's data block
 * @param {HTMLElement[]} page.cards
 * @param {Storage|null} page.storage
 * @param {(i: number) => Value} page.value
 * @param {(i: number, value: Value) => void} page.enter gives a card another value, to be undone
 * @param {(i: number, node: HTMLTextAreaElement, value: (text: string) => Value) => void} page.typed saves while someone types
 * @param {(act: string, of?: string) => string} page.hint the key of an act, as it is written
 * @param {() => boolean} page.closed
 * @param {(text: string) => void} page.announce
 * @param {(text: string) => void} page.refuse says why something was not done, for all to see
 * @param {typeof import('./suggestions.js').suggestions} [page.suggestions] where there are some to decide on
 */
export function marking({ suggestions, state, cards, storage, value, enter, typed, hint, closed, announce, refuse }) {
  const desk = new Desk(state, cards, value, closed);
  const { rules } = desk;
  const over = overlay(desk);
  const lists = markList(desk, { typed, pick: (i, id) => { go(i); pick(id); }, drop: (i, id) => { go(i); drop(id); } });
  const bar = markBar(desk, over, { change, severity, comment, drop, hint, announce, refuse, suggested: () => suggest?.tools() ?? [] });
  const suggest = suggestions?.(desk, { enter, pick: (i, id) => { go(i); pick(id); }, hint, announce, refuse });

  const offered = rules.severities;
  const usual = offered.find((s) => s.id === 'minor') ?? offered[Math.floor((offered.length - 1) / 2)];
  const remembered = (/** @type {string} */ name) => { try { return storage?.getItem(name); } catch { return null; } };
  const remember = (/** @type {string} */ name, /** @type {string} */ what) => { try { storage?.setItem(name, what); } catch { /* full or forbidden */ } };
  desk.grade = (offered.find((s) => s.id === remembered(`annotate/severity/${state.protocol}`)) ?? usual).id;
  desk.whole.checked = remembered('annotate/words') === 'on';
  desk.whole.addEventListener('change', () => remember('annotate/words', desk.whole.checked ? 'on' : 'off'));

  // Who has never marked anything is told how.
  const marked = `annotate/marked/${state.user}`;
  /** @type {(() => void)|undefined} */
  let tell;
  if (!remembered(marked)) {
    import('./tip.js').then(({ tip }) => { tell = tip(desk, hint, () => remember(marked, 'yes')); }, () => { /* it can be done without */ });
  }

  // ---- a card's marks ----

  /** The marks that each card shows. @type {Span[][]} */
  const shown = [];

  /** @param {number} i */
  function drawCard(i) {
    const all = desk.spans(i);
    const on = desk.surface('target', i);
    if (shown[i] !== all || suggest) {
      shown[i] = all;
      const drawn = desk.drawn(i);
      if (on) draw(on, desk.texts(i).target, drawn, 'target', desk.style);
      if (i === desk.card) draw(desk.source, state.source, drawn, 'source', desk.style);
      lists.draw(i, all);
      suggest?.draw(i);
    }
    // An untouched card is no perfect one.
    const { text: sum, over: many } = all.length || value(i).no_errors ? tally(rules, all) : { text: '', over: 0 };
    const line = /** @type {HTMLElement} */ (cards[i].querySelector('.card-tally'));
    line.textContent = many ? `${sum}: remove ${many}` : sum;
    line.classList.toggle('over', many > 0);
    const none = /** @type {HTMLElement} */ (cards[i].querySelector('[data-none]'));
    none.setAttribute('aria-pressed', String(!!value(i).no_errors));
    if (i !== desk.card) return;
    if (!desk.one()) desk.picked = null;
    show();
  }

  /** Shows the mark in work and the caret. */
  function show() {
    tell?.();
    bar.draw();
    lists.light();
    over.place();
  }

  /** Makes a mark the one in work, or none. @param {string|null} id */
  function pick(id) {
    desk.picked = id;
    desk.armed = null;
    const s = desk.one();
    if (s) {
      getSelection()?.removeAllRanges();
      desk.at = { side: s.side, anchor: s.end, focus: s.end };
    }
    over.preview(desk.at.side);
    show();
    if (!s) return;
    over.reveal();
    announce(`${called(s)}: ${desk.about(s)}`);
  }

  /** Gives the card in work other marks. @param {Span[]} next @param {Partial<Value>} [more] */
  function change(next, more) {
    if (next !== desk.spans() || more) enter(desk.card, { ...value(desk.card), spans: next, ...more });
  }

  /** Marks a stretch; one that is marked already is picked. @param {Side} side @param {number} start @param {number} end @param {object} [more] */
  function mark(side, start, end, more) {
    if (closed()) return;
    const before = desk.spans();
    if (standsAlone(rules, before)) return refuse('A non-translation stands alone; remove it to mark single errors');
    const next = add(before, desk.texts(), { side, start, end, severity: desk.grade, ...more }, more !== undefined);
    const fresh = next.at(-1);
    if (next === before || !fresh) return refuse('Nothing is selected');
    const there = before.find((s) => s.side === side && s.start === fresh.start && s.end === fresh.end);
    if (there) return pick(there.id);
    desk.picked = fresh.id;
    desk.armed = null;
    over.preview(side);
    getSelection()?.removeAllRanges();
    desk.at = { side, anchor: fresh.end, focus: fresh.end };
    change(next, { no_errors: false });
    reveal(over.bar);
    announce(`marked ${called(fresh)}, ${desk.about(fresh)}`);
  }

  /** @param {string} id */
  function drop(id) {
    const s = desk.spans().find((o) => o.id === id);
    if (closed()) return;
    if (!s) return suggest?.reject();
    desk.at = { side: s.side, anchor: s.start, focus: s.start };
    change(remove(desk.spans(), id), s.suggestion ? suggest?.without(s.suggestion) : undefined);
    announce(`removed ${called(s)}`);
  }

  /** @param {string} id */
  function severity(id) {
    if (closed()) return;
    const s = desk.own();
    if (s && standsAlone(rules, desk.spans())) return refuse(`A non-translation is always ${desk.name(s.severity)}`);
    desk.grade = id;
    remember(`annotate/severity/${state.protocol}`, id);
    if (s) change(set(desk.spans(), s.id, { severity: id }));
    announce(s ? `${called(s)}: ${desk.name(id)}` : `the next mark is ${desk.name(id)}`);
  }

  /** Opens the comment of the mark in work. @returns {boolean} whether there is one */
  function comment() {
    const s = closed() ? undefined : desk.own();
    if (s) note(s.id);
    return !!s;
  }

  /** @param {string|null} id */
  function note(id) {
    lists.note(id);
    lists.light();
  }

  // ---- caret and selection ----

  /** @param {number} to @param {boolean} [select] @param {Side} [side] */
  function move(to, select = false, side = desk.at.side) {
    desk.armed = null;
    if (desk.picked) {
      desk.picked = null;
      bar.draw();
      lists.light();
    }
    desk.at = { side, anchor: select ? desk.at.anchor : to, focus: to };
    if (desk.at.anchor === to) getSelection()?.removeAllRanges();
    const [start, end] = desk.at.anchor === to ? [0, 0] : desk.widened(side, desk.at.anchor, to);
    over.preview(side, start, end);
    over.place();
    reveal(over.caret);
    if (start < end) announce(slice(desk.text(), start, end));
  }

  /** The point a line above or below. @param {HTMLElement} on @param {1|-1} by */
  function line(on, by) {
    const c = caretAt(on, desk.at.focus);
    const height = parseFloat(getComputedStyle(on).lineHeight);
    return hit(on, c.x, (c.top + c.bottom) / 2 + by * height) ?? (by > 0 ? length(desk.text()) : 0);
  }

  /** @param {string} key @param {KeyboardEvent} e */
  function arrow(key, e) {
    const { side: where, anchor, focus } = desk.at;
    const on = desk.surface(where);
    if (!on) return side();
    const words = e.ctrlKey || e.altKey;
    const rtl = getComputedStyle(on).direction === 'rtl';
    const by = key === 'ArrowDown' || key === 'End' || key === (rtl ? 'ArrowLeft' : 'ArrowRight') ? 1 : -1;
    if (key === 'Home' || key === 'End') return move(by > 0 ? length(desk.text()) : 0, e.shiftKey);
    if (key === 'ArrowUp' || key === 'ArrowDown') return move(line(on, by), e.shiftKey);
    if (anchor !== focus && !e.shiftKey && !words) return move(by > 0 ? Math.max(anchor, focus) : Math.min(anchor, focus));
    // A caret goes to where words begin; a selection ends where they end.
    move(step(desk.text(), focus, by, !words ? 'grapheme' : e.shiftKey && by > 0 ? 'end' : 'start', on.lang), e.shiftKey);
  }

  function side() {
    const to = desk.at.side === 'source' ? 'target' : 'source';
    if (!desk.surface(to)) return refuse('There is no translation');
    move(0, false, to);
    announce(to === 'source' ? 'source' : 'translation');
  }

  /** @param {'start'|'end'} edge @param {string} by */
  function bound(edge, by) {
    const s = closed() ? undefined : desk.own();
    if (!s) return closed() || bar.none();
    if (standsAlone(rules, desk.spans())) return refuse('A non-translation spans all of the translation');
    change(nudge(desk.spans(), desk.texts(), s.id, edge, /** @type {1|-1} */ (Number(by)), desk.whole.checked, desk.lang(s.side)));
    announce(called(desk.one() ?? s));
  }

  /** @type {Record<string, (pressed: string, of: string, e: KeyboardEvent) => any>} */
  const acts = {
    ...suggest?.acts,
    caret: (pressed, _, e) => arrow(pressed, e),
    mark() {
      const { side: where, anchor, focus } = desk.at;
      if (!desk.surface(where)) return;
      const [start, end] = anchor === focus ? snapWords(desk.text(), focus, focus, desk.lang(where)) : desk.widened(where, anchor, focus);
      mark(where, start, end);
    },
    side,
    severity: (_, id) => severity(id),
    category: () => bar.category(),
    link: bar.link,
    remove: () => (desk.picked ? drop(desk.picked) : bar.none()),
    pick: (_, by) => pick(neighbour(desk.drawn(), desk.picked, /** @type {1|-1} */ (Number(by)))?.id ?? null),
    end: (_, by) => bound('end', by),
    start: (_, by) => bound('start', by),
    gap() {
      const t = rules.missing_punctuation;
      if (t && desk.surface(desk.at.side)) mark(desk.at.side, desk.at.focus, desk.at.focus, { ...t });
    },
    none() {
      if (closed()) return;
      if (desk.spans().length) return refuse('Errors are marked on this card; remove them first');
      const v = value(desk.card);
      enter(desk.card, { ...v, no_errors: !v.no_errors });
      announce(v.no_errors ? 'not judged yet' : 'no errors');
    },
  };

  /** What pointers do. @param {Side} where @param {number} start @param {number} end */
  function markAndAsk(where, start, end) {
    mark(where, start, end);
    if (desk.one() && !desk.one()?.category) bar.category(false);
  }
  pointer(desk, over, { pick, move, change, light: lists.light, mark: markAndAsk });
  // Where there is no finger, nothing is loaded for one.
  if (navigator.maxTouchPoints) import('./touch.js').then(({ touch }) => touch(desk, over, markAndAsk), () => refuse('A long press marks nothing until the page is reloaded'));

  /** @param {number} i */
  const go = (i) => { if (i !== desk.card) enterCard(i); };

  /** A card became the one in work. @param {number} i */
  function enterCard(i) {
    desk.card = i;
    desk.picked = desk.armed = null;
    desk.at = { side: desk.surface('target') ? 'target' : 'source', anchor: 0, focus: 0 };
    over.preview(desk.at.side);
    draw(desk.source, state.source, desk.drawn(), 'source', desk.style);
    show();
  }

  cards.forEach((card, i) => {
    for (const act of ['none', 'gap']) {
      card.querySelector(`[data-${act}]`)?.addEventListener('click', () => { go(i); acts[act]('', '', /** @type {any} */ (null)); });
    }
  });
  addEventListener('resize', over.place);
  document.fonts?.addEventListener('loadingdone', over.place);

  return {
    draw: drawCard,
    enter: enterCard,
    acts,
    comment,
    find: bar.find,
    undecided: suggest?.undecided,
    /** A comment was left; without one its box goes. */
    noted: () => note(null),
    pick,
    /** Shows the keys as they are now. */
    hints: () => { if (desk.card >= 0) show(); },
    /** Leaves what is open, innermost first. @returns {boolean} whether anything was */
    leave() {
      if (bar.open) bar.shut();
      else if (desk.armed || desk.at.anchor !== desk.at.focus) move(desk.at.focus);
      else if (desk.picked) pick(null);
      else return false;
      return true;
    },
    close: over.place,
  };
}
