// The cards of the page: what each shows of its value, which one is in work, and every
// change of a value, to be saved and undone.

import { copy, same } from './save.js';
import { answersOf, inWords } from './inwords.js';
import { missing as wanting } from './rules.js';
import { repeated } from './repeated.js';
import { isBad, numbers, pardon, showNumber } from './scores.js';
import { questions } from './questions.js';
import { announce, cards, el, names, state, storageOf } from './page.js';

/** @typedef {import('./save.js').Value} Value */
/** @typedef {ReturnType<typeof import('./marking.js').marking>} Marks */
/** @typedef {{what: string, span?: string, score?: string, question?: string, comment?: boolean, field?: HTMLInputElement, conflict?: boolean}} Need what a card still needs; span: of which mark, score: which one is missing, question: which one has no answer, comment: its answer needs the comment of the card, field: where what stands is no score, conflict: another window changed it */

/** Which texts of the assignment stayed when another answer was chosen, for when its page is loaded again in this window. */
const stayed = (() => {
  const [key, storage] = [`annotate/stayed/${state.assignment}`, state.preview ? null : storageOf('sessionStorage')];
  return {
    read: () => { try { return JSON.parse(storage?.getItem(key) ?? '[]'); } catch { return []; } },
    write: (/** @type {[string, string][][]} */ texts) => { try { storage?.setItem(key, JSON.stringify(texts)); } catch { /* it is said until then */ } },
  };
})();

/** What a card is called in a sentence. @param {number} i */
const cardWords = (i) => (state.itself ? 'segment' : `translation ${names[i]}`);

/** What a card holds, in few words. @param {Value} v */
export function inFewWords(v) {
  const scores = state.scores.map((s) => `${s.label} ${v.scores[s.name] ?? '–'}`);
  const n = v.spans?.length ?? 0;
  return [...scores, ...answersOf(state, v), n ? `${n} ${n === 1 ? 'mark' : 'marks'}` : v.no_errors && (state.marking?.terms ? 'no terms' : 'no errors'), v.comment && 'comment'].filter(Boolean).join(' · ');
}

/** @param {number} i @returns {HTMLTextAreaElement} */
const noteOf = (i) => /** @type {HTMLTextAreaElement} */ (cards[i].querySelector('.card-note textarea'));
/** The fields of each card's scores, which the page comes with. @type {HTMLInputElement[][]} */
const inputs = cards.map((card) => [...card.querySelectorAll('input')].filter((x) => x.dataset.score));

export class Cards {
  /** The card in work. */
  current = -1;
  /** Where errors are marked. @type {Marks|null} */
  marks = null;
  /** Which cards are folded. @type {import('./fold.js').Folding|null} */
  folding = null;
  /** Is called when another card becomes the one in work. */
  entered = () => {};
  /** The questions of the cards. @type {ReturnType<typeof questions>|null} */
  questions = null;
  /** Cards that show something else than they hold. @type {Set<number>} */
  #stale = new Set(cards.keys());
  /** Cards whose comment is open. @type {Set<number>} */
  #noting = new Set();
  /** Cards that submitting has found unfinished, until they are finished. @type {Set<number>} */
  wanting = new Set();

  /**
   * @param {object} on
   * @param {import('./save.js').Queue} on.queue
   * @param {ReturnType<typeof import('./save.js').connect>} on.saver
   * @param {import('./history.js').History} on.history
   * @param {import('./timing.js').ActiveTime} on.timing
   * @param {() => number} on.now
   * @param {() => void} on.ask asks for a paint
   * @param {() => boolean} on.closed whether nothing can be changed now
   * @param {(text: string) => void} on.tell says something for all to see
   * @param {() => void} on.changed is called after each change of a value
   */
  constructor({ queue, saver, history, timing, now, ask, closed, tell, changed }) {
    this.queue = queue;
    this.saver = saver;
    this.history = history;
    this.timing = timing;
    this.now = now;
    this.ask = ask;
    this.closed = closed;
    this.tell = tell;
    this.changed = changed;
    for (const i of cards.keys()) this.#listen(i);
    if (state.questions) {
      this.questions = questions({
        questions: state.questions, cards, value: (i) => queue.cards[i].value, texts: state, candidates: (i) => state.cards[i].candidates ?? [],
        enter: (i, value) => this.enter(i, value), typed: (i, area, value) => this.typed(i, area, value), score: (i, name, x) => this.score(i, name, x), closed, announce, kept: stayed,
      });
    }
  }

  // ---- what a card shows ----

  /** Has a card painted anew. @param {number} i */
  stale(i) {
    this.#stale.add(i);
    this.folding?.touch();
    this.ask();
  }

  /** Brings what the cards show up to date. @returns {boolean} whether one was stale */
  paint() {
    const stale = this.#stale.size > 0;
    for (const i of this.#stale) {
      this.#show(i);
      this.#showTrouble(i);
    }
    this.#stale.clear();
    cards.forEach((card, i) => {
      const need = this.needs(i);
      if (!need) this.wanting.delete(i);
      card.classList.toggle('done', !need);
      card.classList.toggle('wanting', this.wanting.has(i));
      const lacks = card.querySelector('.card-lacks');
      if (lacks) lacks.textContent = this.wanting.has(i) ? `Still needs ${need?.what}` : '';
    });
    this.questions?.mark(this.current);
    this.marks?.show();
    return stale;
  }

  /** Writes a card's value into its controls. @param {number} i */
  #show(i) {
    const { scores, comment } = this.queue.cards[i].value;
    for (const x of inputs[i]) {
      const given = scores[x.dataset.score ?? ''];
      if (x.type === 'radio') x.checked = given !== undefined && x.value === String(given);
      else showNumber(x, given, /** @type {import('../../wire').Score} */ (state.scores.find((s) => s.name === x.dataset.score)));
    }
    const note = noteOf(i);
    if (note.value !== comment) note.value = comment;
    const open = comment !== '' || this.#noting.has(i);
    /** @type {HTMLElement} */ (cards[i].querySelector('.card-note')).hidden = !open;
    cards[i].querySelector('[data-comment]')?.setAttribute('aria-expanded', String(open));
    this.questions?.show(i);
    this.marks?.draw(i);
    this.folding?.draw(i);
  }

  /** The trouble of one card, if it has any. @param {number} i */
  #showTrouble(i) {
    const c = this.queue.cards[i];
    const line = /** @type {HTMLElement} */ (cards[i].querySelector('.card-trouble'));
    line.hidden = !c.refused;
    line.textContent = c.refused && `Not saved: ${c.refused}`;
    const box = cards[i].querySelector('.conflict');
    if (!c.conflict) return box?.remove();
    if (box) {
      const mine = box.querySelector('[data-mine]');
      if (mine) mine.textContent = inWords(state, c.value);
      return;
    }
    const fresh = el('conflict-template').content.cloneNode(true);
    fresh.querySelector('[data-theirs]').textContent = inWords(state, c.conflict);
    fresh.querySelector('[data-mine]').textContent = inWords(state, c.value);
    for (const button of fresh.querySelectorAll('[data-keep]')) {
      button.addEventListener('click', () => {
        this.saver.resolve(i, button.dataset.keep);
        if (button.dataset.keep === 'theirs') this.history.forget(i);
        cards[i].querySelector('.conflict')?.remove();
        this.changed();
        this.stale(i);
        this.choose(i, true);
      });
    }
    cards[i].querySelector('.card-body')?.append(fresh);
    // Where its beginning is seen, its buttons are not left under the bar. What is far away does not carry the page off. Marks
    // that are drawn now scroll first.
    requestAnimationFrame(() => {
      const top = cards[i].querySelector('.conflict')?.getBoundingClientRect().top ?? innerHeight;
      if (top >= 0 && top < innerHeight) this.#showConflict(i);
    });
  }

  /** What a card still needs. @param {number} i @returns {Need|undefined} */
  needs(i) {
    const field = inputs[i].find(isBad);
    if (this.queue.cards[i].conflict) return { what: 'a choice between two versions', conflict: true };
    return field ? { what: 'another score', field } : this.marks?.undecided(i) ?? wanting(state, this.queue.cards[i].value) ?? this.questions?.missing(i);
  }

  /** Why a card is not done, in words; empty: it is. @param {number} i */
  lacks(i) {
    return this.needs(i)?.what ?? (this.queue.cards[i].refused ? 'another value, since it was not saved' : '');
  }

  /** Cards that are not finished. */
  missing() {
    return [...cards.keys()].filter((i) => this.needs(i));
  }

  // ---- the card in work ----

  /**
   * Makes a card the one in work.
   * @param {number} i @param {boolean} go also moves the focus and the view there
   * @param {boolean} [pointed] a pointer chose the card. The annotator has read the card before, so the time since the last change counts for it.
   */
  choose(i, go, pointed = false) {
    if (i < 0 || i >= cards.length) return;
    const fresh = i !== this.current;
    if (fresh) {
      if (!pointed) this.count();
      if (this.current >= 0) {
        cards[this.current].removeAttribute('aria-current');
        this.saver.time(this.current);
      }
      this.current = i;
      if (pointed) this.count();
      cards[i].setAttribute('aria-current', 'true');
      this.marks?.enter(i);
      if (!go) this.folding?.touch();
      this.entered();
    }
    if (!go) return;
    cards[i].focus({ preventScroll: true });
    this.folding?.arrive();
    // A card taller than the window begins at its beginning, unless somebody is at work in it.
    const { top, bottom } = cards[i].getBoundingClientRect();
    if (bottom - top <= innerHeight - 160) cards[i].scrollIntoView({ block: 'nearest' });
    else if (fresh || bottom < 0 || top > innerHeight) cards[i].scrollIntoView({ block: 'start' });
  }

  /** Makes a card the one in work, and leads to a field whose value is no score. Opens nothing over its text. @param {number} i */
  visit(i) {
    this.choose(i, true);
    this.type(this.needs(i)?.field);
    this.#showConflict(i);
  }

  /** Scrolls by the least that brings the question which version of a card stays into view. @param {number} i */
  #showConflict(i) {
    cards[i].querySelector('.conflict')?.scrollIntoView({ block: 'nearest' });
  }

  /** Goes to what a card still needs, and scrolls only where that is out of view. @param {number} i */
  goTo(i) {
    const need = this.needs(i);
    this.choose(i, false);
    const card = cards[i];
    card.focus({ preventScroll: true });
    this.folding?.arrive();
    if (need?.conflict) return this.#showConflict(i);
    if (need?.field) return this.type(need.field);
    if (need?.span) return this.marks?.pick(need.span);
    if (need?.comment) return this.comment();
    if (need?.question) return this.questions?.go(i, need.question);
    const field = inputs[i].find((x) => x.dataset.score === need?.score)?.closest('.score') ?? card.querySelector('.controls');
    (card.offsetHeight <= innerHeight - 160 ? card : field ?? card).scrollIntoView({ block: 'nearest' });
  }

  /** Goes to the field of a score, to type another value. @param {string} name */
  field(name) {
    this.type(inputs[this.current].find((x) => x.type !== 'range' && x.dataset.score === name));
  }

  /** Goes to a field, to type in it; what is no text gets another value. @param {HTMLInputElement|HTMLTextAreaElement|undefined} x */
  type(x) {
    x?.focus({ preventScroll: true });
    if (x?.type === 'number') x.select();
    // The focus alone brings a field into the window, but not out from under the bar.
    x?.scrollIntoView({ block: 'nearest' });
  }

  /** Opens the comment of the card in work. */
  comment() {
    if (this.current < 0) return;
    this.#noting.add(this.current);
    this.#show(this.current);
    this.type(noteOf(this.current));
  }

  /** Leaves the field in which someone types. */
  leave() {
    const i = this.current;
    if (document.activeElement === noteOf(i)) this.#noting.delete(i);
    cards[i].focus({ preventScroll: true });
    this.stale(i);
  }

  /** Books the time since the last call on the card in work. */
  count() {
    const seconds = this.timing.take(this.now());
    if (this.current >= 0) this.queue.gain(this.current, seconds);
  }

  // ---- changes ----

  /** Gives a card another value, to be undone. @param {number} i @param {Value} value */
  enter(i, value) {
    const before = copy(this.queue.cards[i].value);
    if (this.closed() || same(before, value)) return;
    this.history.push({ index: i, before, after: copy(value) });
    this.put(i, value);
  }

  /** Gives a card another value, to be undone, also in place of what is typed and is no score. @param {number} i @param {Value} value */
  replace(i, value) {
    if (this.closed()) return;
    for (const x of inputs[i].filter(isBad)) pardon(x, /** @type {import('../../wire').Score} */ (state.scores.find((s) => s.name === x.dataset.score)));
    this.enter(i, value);
  }

  /** @param {number} i @param {Value} value @param {number} [wait] in milliseconds, before it is sent */
  put(i, value, wait = 0) {
    this.count();
    this.saver.edit(i, value, wait);
    this.changed();
    this.stale(i);
  }

  /** @param {number} i @param {string} name @param {number} x */
  score(i, name, x) {
    const v = this.queue.cards[i].value;
    this.enter(i, { ...v, scores: { ...v.scores, [name]: x } });
  }

  /** @param {'undo'|'redo'} way */
  back(way) {
    if (this.closed()) return;
    const step = this.history[way]();
    if (!step) return this.tell(`Nothing to ${way} since the page was opened`);
    this.choose(step.index, true);
    this.put(step.index, way === 'undo' ? step.before : step.after);
    announce(`${way}: ${cardWords(step.index)}, ${inWords(state, this.queue.cards[step.index].value)}`);
  }

  /** A card was changed from elsewhere. @param {number} i */
  met(i) {
    this.history.forget(i);
    this.changed();
    this.stale(i);
  }

  /** Saves what is typed in a box as it is typed; all of it is one step to undo. @param {number} i @param {HTMLTextAreaElement} area @param {() => Value} value */
  typed(i, area, value) {
    /** @type {Value|null} what the card held before */
    let before = null;
    area.addEventListener('input', () => {
      if (this.closed()) return;
      before ??= copy(this.queue.cards[i].value);
      this.put(i, value(), 600);
    });
    area.addEventListener('blur', () => {
      const after = copy(this.queue.cards[i].value);
      if (before && !same(before, after)) this.history.push({ index: i, before, after });
      before = null;
      this.saver.flush();
      this.ask();
    });
  }

  /** Makes a card's controls work. @param {number} i */
  #listen(i) {
    const card = cards[i];
    const value = () => this.queue.cards[i].value;
    const scored = (/** @type {string} */ name, /** @type {number} */ x) => ({ ...value(), scores: { ...value().scores, [name]: x } });
    card.addEventListener('focusin', () => this.choose(i, false));
    // A finger that scrolls makes no such event; touch.js hears those on a text.
    card.addEventListener('mousedown', (e) => {
      if (!repeated(e)) this.choose(i, false, true);
      else if (i !== this.current) e.preventDefault(); // It would take the focus to this card.
    });
    card.addEventListener('click', (e) => { if (!repeated(e)) this.choose(i, false, true); }, true);
    for (const x of inputs[i]) if (x.type === 'radio') x.addEventListener('change', () => this.score(i, x.dataset.score ?? '', Number(x.value)));
    /** @type {Value|null} what the card held before a number was typed or dragged */
    let before = null;
    const drop = () => { if (before) this.put(i, before); };
    numbers(card, state.scores, {
      draft: (name, x) => {
        before ??= copy(value());
        this.put(i, scored(name, x), 600);
      },
      give: (name, x) => {
        if (before) this.history.push({ index: i, before, after: copy(scored(name, x)) });
        if (before) this.put(i, scored(name, x));
        else this.score(i, name, x);
        before = null;
      },
      drop,
      refuse: (why) => {
        drop();
        before = null;
        this.changed();
        this.stale(i);
        if (why) announce(`${names[i]}: ${why}`);
      },
      next: (from) => {
        const rest = inputs[i].filter((x) => x.type === 'number');
        const x = rest[rest.indexOf(from) + 1];
        if (x) this.type(x);
        else this.choose(Math.min(i + 1, cards.length - 1), true);
      },
      show: () => this.stale(i),
      name: (name, x, level) => {
        this.score(i, name, x);
        announce(`${names[i]}: ${state.scores.find((s) => s.name === name)?.label} ${x}, ${level}`);
      },
    });
    const area = noteOf(i);
    this.typed(i, area, () => ({ ...value(), comment: area.value }));
    card.querySelector('[data-comment]')?.addEventListener('click', () => {
      const opens = area.value !== '' || !this.#noting.has(i);
      if (opens) this.#noting.add(i);
      else this.#noting.delete(i);
      this.#show(i);
      if (opens) this.type(area);
    });
  }
}
