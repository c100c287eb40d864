// Marking errors on the card in work: what keys and pointers ask for is done here.
// Between them a caret of ours stands in the text, and a mark may be picked.

import { length, slice, step, wordAt } from './codepoints.js';
import { add, neighbour, nudge, overlap, remove, set } from './spans.js';
import { called, standsAlone, tally } from './rules.js';
import { caretAt, draw, hit, lanes, point } from './surface.js';
import { Desk } from './desk.js';
import { overlay } from './overlay.js';
import { markList } from './marklist.js';
import { markBar } from './markbar.js';
import { pointer } from './pointer.js';
import { termQuestions } from './termquestions.js';
import { suggestionList } from './suggestionlist.js';
import { accepted, isWaiting, needed, rejected } from './suggestions.js';
import { tip } from './tip.js';
import { touch } from './touch.js';

/** @typedef {import('./spans.js').Span} Span */
/** @typedef {import('./spans.js').Side} Side */
/** @typedef {import('./save.js').Value} Value */

/**
 * @param {object} page
 * @param {import('../../wire').State} page.state the page's data block
 * @param {HTMLElement[]} page.cards
 * @param {Storage|null} page.storage
 * @param {(i: number) => Value} page.value
 * @param {(i: number, value: Value) => void} page.enter gives a card another value, to be undone
 * @param {(i: number, node: HTMLTextAreaElement, value: () => Value) => void} page.typed saves while someone types
 * @param {(act: string, of?: string) => string} page.hint the key of an act, as it is written
 * @param {(i: number) => string} page.nameOf name of a card
 * @param {(i?: number) => void} page.ask asks for a paint, and of what a card shows
 * @param {() => boolean} page.closed whether nothing can be changed now
 * @param {(i: number) => Promise<import('./document.js').Elsewhere[]>} page.elsewhere marks in other segments that those of a card can be linked to
 * @param {(text: string) => void} page.announce
 * @param {(text: string) => void} page.refuse says why something was not done, for all to see
 */
export function marking({ state, cards, storage, value, enter, typed, hint, nameOf, ask, closed, elsewhere, announce, refuse }) {
  const desk = new Desk(state, cards, value, closed);
  const { rules } = desk;
  const over = overlay(desk);
  const asks = termQuestions(desk, { enter, typed, pick: (i, id) => { go(i); desk.pick(id); ask(); }, hint, announce });
  const lists = markList(desk, asks, { pick: (i, id) => { go(i); pick(id); }, drop: (i, id) => { go(i); drop(id); }, comment: (i, id) => { go(i); pick(id); bar.comment(); } });
  const suggest = suggestionList(desk, { enter, pick: (i, id) => { go(i); pick(id); }, announce, refuse });
  const bar = markBar(desk, over, { edit, severity, drop, accept: () => suggest.accept(), reject: suggest.reject, typing, hint, nameOf, ask, elsewhere, announce, refuse });

  const remembered = (/** @type {string} */ name) => { try { return storage?.getItem(name); } catch { return null; } };
  const remember = (/** @type {string} */ name, /** @type {string} */ what) => { try { storage?.setItem(name, what); } catch { /* full or forbidden */ } };
  desk.whole.checked = remembered('annotate/words') !== 'off';
  desk.whole.addEventListener('change', () => remember('annotate/words', desk.whole.checked ? 'on' : 'off'));
  // Severity is asked for, unless somebody sets a usual one.
  const usual = /** @type {HTMLSelectElement} */ (document.getElementById('usual-severity'));
  usual.value = remembered(`annotate/usual/${state.protocol}`) ?? '';
  desk.usual = usual.value;
  usual.addEventListener('change', () => {
    desk.usual = usual.value;
    remember(`annotate/usual/${state.protocol}`, desk.usual);
  });
  const teach = tip(desk, hint, remembered(`annotate/marked/${state.user}`) !== 'yes', () => remember(`annotate/marked/${state.user}`, 'yes'));

  // ---- a card's marks ----

  /** The marks that each card shows, and what waits on it. @type {Span[][]} */
  const shown = [];

  /** @param {number} i */
  function drawCard(i) {
    const all = desk.spans(i);
    const on = desk.surface(desk.own, i);
    if (shown[i] !== all || desk.suggested(i).length) {
      shown[i] = all;
      if (on) draw(on, desk.texts(i)[desk.own], desk.drawn(i), desk.own, desk.look);
      if (i === desk.card) drawSource();
      lists.draw(i, all);
      suggest.draw(i);
    }
    // An untouched card is no perfect one.
    const { text: sum, over: many } = all.length || value(i).no_errors ? tally(rules, all) : { text: '', over: 0 };
    const line = /** @type {HTMLElement} */ (cards[i].querySelector('.card-tally'));
    line.textContent = many ? `${sum}: remove ${many}` : sum;
    line.classList.toggle('over', many > 0);
    cards[i].querySelector('[data-none]')?.setAttribute('aria-pressed', String(!!value(i).no_errors));
  }

  /** Draws the source with the marks of the card in work. There is room for those of each card, so that the source stays where it is when another card is in work. */
  function drawSource() {
    const room = Math.max(1, ...cards.map((_, i) => desk.drawn(i).filter((s) => s.side === 'source')).map((spans) => (spans.length > 1 ? lanes(state.source ?? '', spans, 'source') : 1)));
    draw(desk.source, state.source ?? '', desk.drawn(), 'source', desk.look, room);
  }

  /** Shows the mark in work and the caret. */
  function show() {
    if (desk.card < 0) return;
    if (!desk.one()) desk.picked = null;
    teach();
    bar.draw();
    lists.light();
    over.place();
    if (desk.show) over.reveal(desk.show);
    desk.show = null;
    if (bar.focus()) over.revealList();
  }

  /** Makes a mark the one in work, or none. @param {string|null} id */
  function pick(id) {
    desk.pick(id);
    over.preview(desk.at.side);
    ask();
    const s = desk.one();
    if (!s) return;
    getSelection()?.removeAllRanges();
    desk.show = 'mark';
    announce(`${called(s)}: ${desk.about(s)}`);
  }

  /**
   * Changes the mark in work. A suggestion becomes a mark by it; where nothing changes
   * it goes on waiting.
   * @param {(spans: Span[], id: string) => Span[]} change
   * @returns {boolean} whether something changed
   */
  function edit(change) {
    const s = desk.one();
    if (closed() || !s || rules.given) return false;
    let base = value(desk.card);
    let id = s.id;
    const suggestion = desk.suggestion();
    if (suggestion) {
      base = accepted(base, [suggestion]);
      id = base.spans?.at(-1)?.id ?? id;
    }
    const next = change(base.spans ?? [], id);
    if (next === base.spans || (suggestion && !suggest.fits([suggestion]))) return false;
    desk.picked = id;
    enter(desk.card, { ...base, spans: next });
    return true;
  }

  /** Marks a stretch; one that is marked already is picked. @param {Side} side @param {number} start @param {number} end @param {object} [more] @param {boolean} [gap] it may be empty */
  function mark(side, start, end, more, gap) {
    if (closed()) return;
    if (rules.given) return refuse('The terms of this segment are given: none is added or removed');
    const before = desk.spans();
    over.preview(side);
    ask();
    if (standsAlone(rules, before)) return refuse('A non-translation stands alone; remove it to mark single errors');
    const next = add(before, desk.texts(), { side, start, end, severity: desk.usual, ...more }, gap);
    const fresh = next.at(-1);
    if (next === before || !fresh) return refuse('Nothing is selected');
    const there = before.find((s) => s.side === side && s.start === fresh.start && s.end === fresh.end);
    if (there) return pick(there.id);
    enter(desk.card, { ...value(desk.card), spans: next, no_errors: false });
    desk.pick(fresh.id);
    desk.show = 'mark';
    getSelection()?.removeAllRanges();
    const whose = side === 'source' && cards.length > 1 ? ` in the source for translation ${nameOf(desk.card)}` : '';
    announce(`marked ${called(fresh)}${whose}, ${desk.about(fresh)}`);
  }

  /** @param {string} id */
  function drop(id) {
    const s = desk.spans().find((o) => o.id === id);
    if (closed() || rules.given) return;
    if (!s) return suggest.reject();
    const v = value(desk.card);
    desk.pick(null);
    desk.at = { side: s.side, anchor: s.start, focus: s.start };
    enter(desk.card, { ...v, spans: remove(v.spans ?? [], id), ...(s.suggestion && { rejected: rejected(v, s.suggestion).rejected }) });
    announce(`removed ${called(s)}`);
  }

  /** What is about to be marked: what is selected, or the word of a first click. @returns {[number, number]|undefined} */
  function selected() {
    const { side, anchor, focus } = desk.at;
    if (desk.picked) return undefined;
    if (anchor !== focus) return desk.widened(side, anchor, focus, desk.at.exact);
    return desk.armed ? desk.words(side, desk.armed.at, desk.armed.at) : undefined;
  }

  /** The word at the caret. @returns {[number, number]} */
  const word = () => wordAt(desk.text(), desk.at.focus, desk.lang(desk.at.side));

  /** The word that the caret was moved to, if nothing in it is marked. @returns {[number, number]|undefined} */
  function freshWord() {
    if (!desk.placed || desk.picked) return undefined;
    const { side: where } = desk.at;
    const [start, end] = word();
    return start === end || desk.drawn().some((s) => s.side === where && overlap(s, { start, end })) ? undefined : [start, end];
  }

  /** Gives the mark in work a severity. If there is none, marks the selection or the word at the caret with it. @param {string} id */
  function severity(id) {
    if (closed()) return;
    const s = desk.one();
    const part = selected() ?? freshWord();
    if (part) return mark(desk.at.side, ...part, { severity: id });
    if (!s) return bar.none();
    if (standsAlone(rules, desk.spans())) return refuse(`A non-translation is always ${desk.name(s.severity)}`);
    // The severity that is suggested accepts the suggestion, as another one does.
    if (isWaiting(s) && s.severity === id) return suggest.accept(true);
    edit((spans, one) => set(spans, one, { severity: id }));
    announce(`${called(s)}: ${desk.name(id)}`);
  }

  /** Saves what is typed as the comment of the mark in work. @param {HTMLTextAreaElement} node */
  function typing(node) {
    const i = desk.card;
    typed(i, node, () => {
      const suggestion = desk.suggestion();
      if (!suggestion) return { ...value(i), spans: set(desk.spans(i), desk.picked ?? '', { comment: node.value }) };
      if (!suggest.fits([suggestion])) return value(i);
      const v = accepted(value(i), [suggestion]);
      desk.picked = v.spans?.at(-1)?.id ?? null;
      return { ...v, spans: set(v.spans ?? [], desk.picked ?? '', { comment: node.value }) };
    });
  }

  // ---- caret and selection ----

  /** @param {number} to @param {boolean} [select] @param {Side} [side] @param {boolean} [words] what is selected grows to whole words */
  function move(to, select = false, side = desk.at.side, words = false) {
    desk.armed = desk.picked = desk.asking = null;
    desk.gapNext = false;
    desk.at = { side, anchor: select ? desk.at.anchor : to, focus: to, exact: !words };
    desk.placed = true;
    if (desk.at.anchor === to) getSelection()?.removeAllRanges();
    const [start, end] = desk.at.anchor === to ? [0, 0] : desk.widened(side, desk.at.anchor, to, !words);
    over.preview(side, start, end);
    desk.show = 'caret';
    ask();
    if (start < end) announce(slice(desk.text(), start, end));
  }

  /** Makes a point the first of two clicks, or marks missing punctuation there if that was asked for. @param {number} to @param {Side} side */
  function arm(to, side) {
    const { gapNext } = desk;
    move(to, false, side);
    desk.armed = { side, at: to };
    desk.show = null; // what was clicked is in view
    over.preview(side, ...desk.words(side, to, to));
    if (gapNext) missing();
  }

  /** The point a line above or below. @param {HTMLElement} on @param {1|-1} by */
  function line(on, by) {
    over.reveal('caret'); // what is out of view can't be asked for
    const c = caretAt(on, desk.at.focus);
    const height = parseFloat(getComputedStyle(on).lineHeight);
    const y = (c.top + c.bottom) / 2 + by * height;
    const { top, bottom, scroller } = over.view(on);
    const before = scroller.scrollTop;
    if (y < top) scroller.scrollBy({ top: y - top - height, behavior: 'instant' });
    else if (y > bottom) scroller.scrollBy({ top: y - bottom + height, behavior: 'instant' });
    return hit(on, c.x, y - scroller.scrollTop + before) ?? (by > 0 ? length(desk.text()) : 0);
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
    const to = step(desk.text(), focus, by, !words ? 'grapheme' : e.shiftKey && by > 0 ? 'end' : 'start', on.lang);
    move(to, e.shiftKey, where, words);
    if (!e.shiftKey) announce(words ? slice(desk.text(), ...desk.words(where, to, to)) : slice(desk.text(), to, step(desk.text(), to, 1)));
  }

  function side() {
    const to = desk.at.side === 'source' ? desk.own : 'source';
    const other = rules.reference ? 'reference' : 'translation';
    if (!desk.surface(to)) return refuse(`There is no ${other}`);
    move(0, false, to);
    announce(to !== 'source' ? other : rules.reference ? 'source' : `source, for translation ${nameOf(desk.card)}`);
  }

  /** @param {'start'|'end'} edge @param {string} by */
  function moveEdge(edge, by) {
    const s = closed() ? undefined : desk.one();
    if (!s) return closed() || bar.none();
    if (standsAlone(rules, desk.spans())) return refuse('A non-translation spans all of the translation');
    edit((spans, id) => nudge(spans, desk.texts(), id, edge, /** @type {1|-1} */ (Number(by))));
    desk.caretTo(edge);
    announce(called(desk.one() ?? s));
  }

  /** Marks missing punctuation at the caret, or asks for the place. */
  function missing() {
    const t = rules.missing_punctuation;
    const { side: where, focus } = desk.at;
    if (!t || !desk.surface(where)) return;
    if (!desk.placed) {
      desk.gapNext = true;
      const finger = matchMedia('(pointer: coarse)').matches;
      const key = finger ? '' : hint('gap');
      return refuse(`${finger ? 'Tap' : 'Click'} the word after which the punctuation is missing${key && `, or move the caret there and press ${key}`}`);
    }
    // A click on a word means the place after it.
    const to = desk.armed ? desk.words(where, desk.armed.at, desk.armed.at)[1] : focus;
    mark(where, to, to, { ...t }, true);
  }

  /** @type {Record<string, (pressed: string, of: string, e: KeyboardEvent) => any>} */
  const acts = {
    accept: () => suggest.accept(),
    reject: () => suggest.reject(),
    caret: (pressed, _, e) => arrow(pressed, e),
    mark() {
      // From here Tab leads to the bar of the mark, and not to the start of the page.
      if (document.activeElement === document.body) desk.cards[desk.card].focus({ preventScroll: true });
      if (desk.surface(desk.at.side)) mark(desk.at.side, ...selected() ?? word());
    },
    side,
    severity: (_, id) => severity(id),
    ask_term: (_, name) => { if (!asks.go(name)) bar.none(); },
    choose(pressed) {
      if (!desk.one()) pick(neighbour(desk.drawn(), null, 1)?.id ?? null);
      if (asks.digit(Number(pressed)) && !asks.open()) pick(neighbour(desk.drawn(), desk.picked, 1)?.id ?? null);
    },
    category: () => bar.category(),
    link: () => bar.link(),
    remove: () => (desk.picked ? drop(desk.picked) : bar.none()),
    pick: (_, by) => pick(neighbour(desk.drawn(), desk.picked, /** @type {1|-1} */ (Number(by)))?.id ?? null),
    end: (_, by) => moveEdge('end', by),
    start: (_, by) => moveEdge('start', by),
    gap: missing,
    none() {
      if (closed()) return;
      if (desk.spans().length) return refuse(rules.terms ? 'Terms are marked in this segment; remove them first' : 'Errors are marked on this card; remove them first');
      const v = value(desk.card);
      enter(desk.card, { ...v, no_errors: !v.no_errors });
      announce(v.no_errors ? 'not judged yet' : rules.terms ? 'no terms' : 'no errors');
    },
  };

  /** What pointers do. @param {Side} where @param {number} start @param {number} end @param {boolean} [finger] */
  function markAndAsk(where, start, end, finger = false) {
    mark(where, start, end);
    const s = desk.one();
    if (!s || s.category || !rules.categories?.length || rules.given) return;
    // A counterpart takes the category of the term that it goes with.
    // A field with the focus brings up the keyboard of a phone.
    if (where === 'reference' && bar.others(s).length) bar.link(!finger);
    else desk.asking = { what: 'category', focus: !finger };
  }
  /** Lets go of the mark, the selection or the first click in work. */
  function release() {
    if (desk.asking) bar.shut();
    if (desk.armed || desk.at.anchor !== desk.at.focus) move(desk.at.focus);
    else pick(null);
    desk.show = null; // the page stays where it is
  }
  const { click } = pointer(desk, over, {
    pick, arm, edit, mark: markAndAsk,
    sketch(spans = desk.drawn()) {
      const s = desk.one();
      const on = s && desk.surface(s.side);
      if (!on) return;
      draw(on, desk.texts()[s.side], spans, s.side, desk.look, 0);
      lists.light();
    },
    rest: () => ask(),
    release,
  });
  touch(desk, over, (where, start, end) => markAndAsk(where, start, end, true), (where, at, ids) => click(where, at, ids, true));

  // Text that the browser selects by itself, as assistive technology has it do, is selected here, too.
  document.addEventListener('selectionchange', () => {
    const sel = getSelection();
    if (!sel?.anchorNode || !sel.focusNode || sel.isCollapsed || closed()) return;
    const at = sel.anchorNode instanceof Element ? sel.anchorNode : sel.anchorNode.parentElement;
    const on = /** @type {HTMLElement|null|undefined} */ (at?.closest('[data-side]'));
    if (!on?.contains(sel.focusNode)) return;
    const where = /** @type {Side} */ (on.dataset.side);
    const [anchor, focus] = [point(on, sel.anchorNode, sel.anchorOffset), point(on, sel.focusNode, sel.focusOffset)];
    const i = where === 'source' ? desk.card : desk.targets.indexOf(on);
    if (i === desk.card && desk.at.side === where && desk.at.anchor === anchor && desk.at.focus === focus) return;
    go(i);
    desk.pick(null);
    desk.at = { side: where, anchor, focus };
    desk.placed = true;
    over.preview(where, ...desk.widened(where, anchor, focus));
    ask();
  });

  /** @param {number} i */
  const go = (i) => { if (i !== desk.card) enterCard(i); };

  /** A card became the one in work. @param {number} i */
  function enterCard(i) {
    desk.card = i;
    desk.pick(null);
    desk.at = { side: !rules.terms && desk.surface(desk.own) ? desk.own : 'source', anchor: 0, focus: 0 };
    desk.placed = false;
    over.preview(desk.at.side);
    shown[i] = []; // the source gets its marks
    if (whose) whose.textContent = nameOf(i);
    ask(i);
  }
  // A segment with one translation has no need of it.
  const whose = document.getElementById('source-whose');

  cards.forEach((card, i) => {
    for (const act of ['none', 'gap']) {
      card.querySelector(`[data-${act}]`)?.addEventListener('click', () => { go(i); acts[act]('', '', /** @type {any} */ (null)); });
    }
  });
  addEventListener('resize', () => ask());
  document.fonts?.addEventListener('loadingdone', () => ask());

  return {
    draw: drawCard,
    enter: enterCard,
    show,
    anchor: over.anchor,
    acts,
    /** Whether nothing is open, selected or half marked. */
    idle: () => !desk.asking && !desk.armed && desk.at.anchor === desk.at.focus,
    /** The texts were laid out anew: the bar finds another place beside its mark. */
    laidOut() {
      desk.opened++;
      ask();
    },
    comment: bar.comment,
    find: bar.find,
    /** What a card needs while suggestions wait on it. @param {number} i */
    undecided: (i) => needed(desk.suggested(i), value(i)),
    pick,
    hints: bar.hints,
    /** Leaves what is open, innermost first. @returns {boolean} whether anything was */
    leave() {
      if (desk.asking) bar.shut();
      else if (desk.armed || desk.at.anchor !== desk.at.focus) move(desk.at.focus);
      else if (desk.picked) pick(null);
      else return false;
      return true;
    },
  };
}
