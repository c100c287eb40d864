// The annotators' ratings below each card of an adjudication: buttons that take their
// spans and scores, drop them again and merge them. All of it is done from the keyboard,
// too.

import { called, kindName, standsAlone } from './rules.js';
import { shortened } from './marklist.js';
import { drop, has, merge, overlapping, start, take, takeAll } from './peermarks.js';
import { make } from './desk.js';
import { showDifferences } from './answerdiff.js';
import { answered } from './questions.js';
import { same } from './save.js';
import { textsOf } from './spans.js';

/** @typedef {import('./spans.js').Span} Span */
/** @typedef {import('./save.js').Value} Value */
/** @typedef {import('./peermarks.js').Peer} Peer */

/** Whether two answers are the same. @param {string[]|undefined} a @param {string[]} b */
const equal = (a, b) => !!a && a.length === b.length && b.every((x, i) => a[i] === x);

/**
 * @param {object} page
 * @param {import('../../wire').State} page.state the page's data block
 * @param {HTMLElement[]} page.cards
 * @param {() => number} page.current the card in work
 * @param {(i: number) => Value} page.value
 * @param {(i: number, value: Value) => void} page.enter gives a card another value, to be undone
 * @param {() => boolean} page.closed whether nothing can be changed now
 * @param {(text: string) => void} page.announce
 * @param {(text: string) => void} page.refuse says why something was not done, for all to see
 * @param {(act: string, of?: string) => string} page.hint the key of an act, as it is written
 */
export function peerList({ state, cards, current, value, enter, closed, announce, refuse, hint }) {
  /** @type {Peer[][]} */
  const peers = state.cards.map((c) => c.peers ?? []);
  const grade = (/** @type {string} */ id) => state.marking?.severities.find((s) => s.id === id)?.name ?? id;
  const about = (/** @type {Span} */ s) => [called(s), grade(s.severity), kindName(s)].filter(Boolean).join(', ');
  /** Each brings its button up to date with what the card holds. @type {((v: Value) => void)[][]} */
  const fresh = cards.map(() => []);
  /** Each writes its key. @type {(() => void)[]} */
  const keys = [];

  const texts = (/** @type {number} */ i) => textsOf(state, i);

  /** Gives a card another value, if the protocol allows it. @param {number} i @param {Value} next @param {string} said @param {string} [nothing] why nothing is changed */
  function give(i, next, said, nothing = '') {
    if (closed()) return;
    if (same(next, value(i))) return nothing && refuse(nothing);
    const spans = next.spans ?? [];
    if (state.marking && standsAlone(state.marking, spans) && spans.length > 1) return refuse('A non-translation stands alone: remove your other marks first, or leave it out');
    enter(i, next);
    announce(said);
  }

  /** @param {string} label @param {string} name @param {() => void} act @param {string} what */
  function button(label, name, act, what) {
    // Some browsers give no focus to a button that is clicked.
    const b = make('button', { type: 'button', className: 'btn btn-small', ariaLabel: name, onclick: () => { b.focus({ preventScroll: true }); act(); } }, label);
    b.dataset.take = what;
    return b;
  }

  /** A button that says whether the card has what it takes. @param {number} i @param {string} name @param {(v: Value) => boolean} taken @param {(v: Value) => Value} on @param {(v: Value) => Value} off @param {string} what */
  function toggle(i, name, taken, on, off, what) {
    const b = button('Take', `Take ${name}`, () => {
      const v = value(i);
      give(i, taken(v) ? off(v) : on(v), `${taken(v) ? 'dropped' : 'taken'}: ${name}`);
    }, what);
    b.classList.add('take');
    fresh[i].push((v) => b.setAttribute('aria-pressed', String(taken(v))));
    return b;
  }

  /** @param {number} i @param {Element} row @param {Peer} peer @param {Span} s */
  function span(i, row, peer, s) {
    const name = `${about(s)}, of annotator ${peer.letter}`;
    const one = toggle(i, name, (v) => has(v, s), (v) => take(v, [s], peer.spans), (v) => drop(v, s, !!state.marking?.given), 'span');
    const into = button('Merge', '', () => {
      give(i, merge(value(i), texts(i), peers[i], s), `merged: ${name}`, 'Nothing else overlaps this mark, or yours covers it already');
    }, 'merge');
    fresh[i].push((v) => {
      const { mine, all } = overlapping(v, peers[i], s);
      const others = peers[i].filter((p) => p !== peer && p.spans?.some((o) => all.includes(o))).map((p) => p.letter).join(', ');
      into.ariaLabel = into.title = `Merge ${about(s)} with ${mine.length ? `your ${mine.map(called).join(', ')}` : `annotator ${others}`}`;
      // Where there is nothing to merge, it keeps its place, and the focus if it has it.
      into.classList.toggle('unused', same(merge(v, texts(i), peers[i], s), v));
    });
    row.append(make('div', { className: 'takes' }, one, into));
  }

  /** A button that has its key written on it. @param {string} label @param {string} title @param {string} act @param {() => void} go */
  function keyed(label, title, act, go) {
    const kbd = make('kbd', {});
    const b = button(label, '', go, act);
    b.removeAttribute('aria-label'); // its name is what stands on it
    b.title = title;
    b.append(kbd);
    keys.push(() => {
      kbd.textContent = hint(act);
      kbd.hidden = !kbd.textContent;
    });
    return b;
  }

  cards.forEach((card, i) => {
    const box = /** @type {HTMLElement} */ (card.querySelector('.peers'));
    if (state.marking && peers[i].length > 1) {
      box.querySelector('.peers-head')?.append(keyed('Start with the majority', 'Take the marks that more than half of the annotators made', 'majority', () => majority(i)));
    }
    box.querySelectorAll('.peer').forEach((node, k) => {
      const peer = peers[i][k];
      if (state.marking || state.questions) {
        node.querySelector('.peer-head')?.append(button('Take all', `Take ${state.marking ? 'all marks and scores' : 'all answers'} of annotator ${peer.letter}`, () => {
          give(i, takeAll(value(i), peer), `taken: all of annotator ${peer.letter}`, `You have all of annotator ${peer.letter}`);
        }, 'all'));
      }
      for (const dd of /** @type {NodeListOf<HTMLElement>} */ (node.querySelectorAll('[data-of]'))) {
        const of = dd.dataset.of ?? '';
        const x = peer.scores[of];
        if (x === undefined) continue;
        const label = state.scores.find((s) => s.name === of)?.label ?? of;
        dd.append(toggle(i, `${label} ${x}, of annotator ${peer.letter}`, (v) => v.scores[of] === x,
          (v) => ({ ...v, scores: { ...v.scores, [of]: x } }),
          (v) => ({ ...v, scores: Object.fromEntries(Object.entries(v.scores).filter(([n]) => n !== of)) }), 'score'));
      }
      for (const dd of /** @type {NodeListOf<HTMLElement>} */ (node.querySelectorAll('[data-answer]'))) {
        const of = dd.dataset.answer ?? '';
        const given = peer.answers?.[of];
        if (!given) continue;
        const label = state.questions?.find((q) => q.name === of)?.label ?? of;
        const words = dd.textContent?.trim() ?? '';
        dd.append(toggle(i, `${label} ${shortened(words)}, of annotator ${peer.letter}`, (v) => equal(v.answers?.[of], given),
          (v) => answered(v, of, given), (v) => answered(v, of, undefined), 'answer'));
      }
      node.querySelectorAll('.marks > li').forEach((row, n) => { if (peer.spans?.[n]) span(i, row, peer, peer.spans[n]); });
    });
  });

  for (const card of cards) showDifferences(card);

  /** @param {number} i */
  function majority(i) {
    if (!state.marking) return;
    const before = value(i).spans ?? [];
    const next = start(value(i), peers[i]);
    const n = (next.spans ?? []).length - before.length;
    give(i, next, n ? `${n} ${n === 1 ? 'mark' : 'marks'} of most annotators taken` : 'most annotators found no errors', 'There is no further mark that more than half of the annotators made');
  }

  const focused = () => document.activeElement?.closest('.peers') ? /** @type {HTMLElement} */ (document.activeElement) : null;

  /** A button of the annotator's mark that is in work. @param {string} what @returns {HTMLElement|null|undefined} */
  const beside = (what) => focused()?.closest('.takes')?.querySelector(`[data-take=${what}]`);

  /** Goes to the next or previous thing to take on the card in work. @param {number} by */
  function go(by) {
    const all = /** @type {HTMLElement[]} */ ([...cards[current()]?.querySelectorAll('.peer [data-take]:not([data-take=merge])') ?? []]);
    const here = all.findIndex((b) => b === focused() || b.closest('.takes')?.contains(focused()));
    const b = all.at(here < 0 ? Math.min(0, by) : (here + by) % all.length);
    if (!b) return refuse(state.itself ? 'No annotator rated this segment' : 'No annotator rated this translation');
    b.focus({ preventScroll: true });
    b.scrollIntoView({ block: 'nearest' });
  }

  /** @type {Value[]} what the buttons of each card show */
  const shown = [];
  const hints = () => { for (const write of keys) write(); };
  hints();
  return {
    hints,
    draw() {
      cards.forEach((_, i) => {
        const v = value(i);
        if (shown[i] === v) return;
        shown[i] = v;
        for (const f of fresh[i]) f(v);
      });
    },
    /** Where the button in work stands, which keeps its place in the window while the page changes. Where the page can't be scrolled so far, the ratings of the card leave room above them. */
    anchor() {
      const b = focused();
      const box = /** @type {HTMLElement|null|undefined} */ (b?.closest('.peers'));
      if (!b || !box) return undefined;
      const y = () => b.getBoundingClientRect().top;
      return Object.assign(() => ({ y: y(), scroller: document.documentElement }), {
        rest: (/** @type {number} */ by) => box.style.setProperty('margin-block-start', `${Math.max(0, parseFloat(getComputedStyle(box).marginBlockStart) - by)}px`),
      });
    },
    /** @type {Record<string, (pressed: string, of: string) => void>} */
    acts: {
      peer: (_, by) => go(Number(by)),
      take() {
        const b = beside('span') ?? focused();
        if (b?.dataset.take) b.click();
        else go(1);
      },
      merge() {
        const b = beside('merge');
        if (!b) return refuse(`No annotator's mark is in work; ${hint('peer', '1')} goes to the next one`);
        b.click();
        beside('span')?.focus({ preventScroll: true });
      },
      majority: () => majority(current()),
    },
  };
}
