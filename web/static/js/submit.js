// Submitting the segment, reporting a problem with it and skipping it: all wait until
// everything is saved, and nothing can be changed meanwhile.

import { sentByKey } from './dialogs.js';
import { same } from './save.js';
import { unequal } from './equal.js';
import { clock } from './status.js';
import { leaving } from './takeback.js';
import { cards, el, names, state } from './page.js';

/** How long an answer is waited for, in milliseconds. */
const TIMEOUT = 20_000;

/** What keeps the time of a card, which alone was not saved, from arriving. @type {Record<string, string>} */
const TROUBLE = {
  offline: 'no connection', server: 'the server does not answer', 'signed out': 'you are signed out; sign in in another tab', 'not allowed': 'not allowed to save',
  'not found': 'not found for this sign-in',
};

/** @param {string} url @param {object} body @returns {Promise<{status: number, json: any}>} status 0: no answer came */
async function post(url, body) {
  try {
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' }, signal: AbortSignal.timeout(TIMEOUT) });
    const json = await answer.json().catch(() => null);
    return { status: !json && (answer.status === 200 || answer.status === 409) ? 0 : answer.status, json }; // a part of an answer is none
  } catch {
    return { status: 0, json: null };
  }
}

/** Why the server did not do it. @param {number} status @param {any} json */
const reason = (status, json) => status === 0 ? 'no connection; what you entered is kept, try again in a moment'
  : status === 401 ? 'you are signed out; sign in in another tab, then try again'
  : json?.error ?? `the server answered ${status}`;

/** What a card is called in a sentence. @param {number} i */
const cardName = (i) => (state.itself ? 'the segment' : names[i]);

/** What is said where a card shows now what another window saved. @param {number} i */
const NEWER = (i) => `${cardName(i)} was changed in another window; the newer version is shown now, look at it and submit again`;

/** The place of a card that the server names. @param {{id: string}} card */
const at = (card) => state.cards.findIndex((c) => c.id === card.id);

export class Submit {
  /** Whether a submission is under way. */
  busy = false;
  /** Whether the segment is done with here, so that nothing more is sent: a save would take it up again. */
  left = false;
  /** Whether a second look may go as it came. */
  #sure = state.round < 2 || state.submitted;
  /** Whether it is said that something was not saved or sent, which holds until it is. */
  #unsent = false;
  /** The judgements of two cards with the same text that were asked about. @type {string|undefined} */
  #unequal;
  /** The card with an edit that changes nothing, which was asked about. @type {string|undefined} */
  #unedited;
  /** @type {(() => void)[]} */
  #waiting = [];

  /**
   * @param {object} on
   * @param {import('./save.js').Queue} on.queue
   * @param {ReturnType<typeof import('./save.js').connect>} on.saver
   * @param {import('./cards.js').Cards} on.on the cards
   * @param {import('./status.js').Status} on.status
   * @param {() => number} on.now
   */
  constructor({ queue, saver, on, status, now }) {
    this.queue = queue;
    this.saver = saver;
    this.on = on;
    this.status = status;
    this.now = now;
    el('submit').addEventListener('click', () => this.submit());
    el('problem-form')?.addEventListener('submit', (/** @type {SubmitEvent} */ e) => {
      e.preventDefault();
      this.#leave(state.urls.problem, { text: el('problem-text').value }, el('problem-error'));
    });
    if (el('problem-form')) sentByKey(el('problem-form'));
    const why = el('skip-reason');
    for (const button of document.querySelectorAll('[data-reason]')) {
      button.addEventListener('click', () => {
        why.value = /** @type {HTMLElement} */ (button).dataset.reason;
        why.focus(); // Enter skips
      });
    }
    el('skip-form')?.addEventListener('submit', (/** @type {SubmitEvent} */ e) => {
      e.preventDefault();
      this.#leave(state.urls.skip, { reason: why.value }, el('skip-error'));
    });
  }

  /** Is called after everything that saving does. */
  settle() {
    if (!this.queue.settled() && !this.queue.stuck()) return;
    for (const go of this.#waiting.splice(0)) go();
    if (!this.#unsent || this.busy || !this.queue.settled()) return;
    this.#unsent = false;
    this.status.changed();
    this.status.ask();
  }

  /** Resolves when everything is saved, or can't be for now. @returns {Promise<boolean>} */
  #saved() {
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(this.queue.settled()));
      this.saver.flush();
    });
  }

  /** Why not everything is saved. */
  #unsaved() {
    const { state: how, text } = this.queue.report(clock);
    return how === 'kept' || how === 'lost' ? text : `${TROUBLE[this.queue.trouble] ?? 'the time on a card is not saved yet'}; try again in a moment`;
  }

  async submit() {
    const { on, queue, status } = this;
    if (this.busy || status.closed) return;
    const area = document.activeElement;
    if (area instanceof HTMLTextAreaElement || area instanceof HTMLInputElement) area.blur();
    const left = on.missing();
    if (left.length) {
      for (const i of left) on.wanting.add(i);
      status.changed();
      on.goTo(left[0]);
      return status.tell(`Not submitted: ${cardName(left[0])} needs ${on.needs(left[0])?.what}${left.length > 1 ? `; ${left.length} cards are not finished` : ''}`, true);
    }
    // Different judgements of one text are asked about once, as they are.
    const values = queue.cards.map((c) => c.value);
    const [differ] = unequal(state.cards, values);
    const asked = differ && JSON.stringify(differ.pair.map((i) => values[i]));
    if (differ && asked !== this.#unequal) {
      this.#unequal = asked;
      const [first, second] = differ.pair.map((i) => names[i]);
      on.goTo(differ.pair[1]);
      on.folding?.keep(differ.pair[0]);
      return status.tell(`${first} and ${second} have the same text and different ${differ.what}: press again to submit them so`, true);
    }
    // An edit that changes nothing is asked about once.
    const i = [...cards.keys()].find((k) => on.questions?.unedited(k));
    const edit = i === undefined ? undefined : on.questions?.unedited(i);
    const unedited = edit && JSON.stringify([i, edit.name]);
    if (i !== undefined && edit && unedited !== this.#unedited) {
      this.#unedited = unedited;
      on.goTo(i);
      on.questions?.go(i, edit.name);
      return status.tell(`${edit.label} was not changed: change it, choose another answer, or press again to submit it so`, true);
    }
    // A second look that would be submitted as it came is asked about once.
    const unchanged = state.cards.every((c, i) => !c.revision && same(queue.cards[i].value, c));
    if (!this.#sure) {
      this.#sure = true;
      if (unchanged) return status.tell('Nothing was changed: press again to submit your earlier ratings as they are', true);
    }
    if (state.preview) return status.tell('Preview: this would submit the segment. Nothing was sent.');
    const focus = document.activeElement;
    this.#work(true);
    on.count();
    for (const i of cards.keys()) queue.sendTime(i, this.now());
    const why = await this.#send(values);
    if (why === null) return;
    this.#work(false);
    if (focus instanceof HTMLElement) focus.focus({ preventScroll: true });
    if (why) status.tell(`Not submitted: ${why}`, true);
  }

  /**
   * @param {import('./save.js').Value[]} seen what the cards show, which is what is submitted
   * @returns {Promise<string|null>} why it was not submitted; null: the next page comes; empty: the page says so already
   */
  async #send(seen) {
    const { on, queue, status } = this;
    this.#unsent = false;
    if (!await this.#saved()) {
      this.#unsent = true;
      const i = queue.cards.findIndex((c) => c.conflict || c.refused);
      if (i >= 0) on.choose(i, true);
      return this.#unsaved();
    }
    // Saving the time of a card may have met what another window saved.
    const newer = queue.cards.findIndex((c, i) => !same(c.value, seen[i]));
    if (newer >= 0) {
      on.choose(newer, true);
      return NEWER(newer);
    }
    const { status: code, json } = await post(state.urls.submit, { cards: Object.fromEntries(queue.cards.map((c, i) => [state.cards[i].id, c.revision])), again: state.submitted });
    this.#unsent = code === 0;
    if (code === 200 && json?.next) {
      this.#go(json.next, state.submitted || state.adjudicates ? '' : state.urls.take_back);
      return null;
    }
    if (code === 409 && json?.code !== 'conflict') {
      status.close(reason(code, json));
      return '';
    }
    if (code === 409 && json.card) {
      const i = at(json.card);
      const changed = queue.meet(i, json.card);
      // The other window saved nothing but time: what is shown is what is stored.
      if (!changed && !queue.cards[i].conflict) return this.#send(seen);
      if (changed) on.met(i);
      on.stale(i);
      on.choose(i, true);
      return queue.cards[i].conflict ? `${cardName(i)} was changed in another window; choose which version stays` : NEWER(i);
    }
    if (code === 422 && json?.cards?.length) {
      for (const c of json.cards) on.wanting.add(at(c));
      on.choose(at(json.cards[0]), true);
      return json.cards.map((/** @type {import('../../wire').Missing} */ c) => `${cardName(at(c))} needs ${c.reason}`).join(', ');
    }
    return reason(code, json);
  }

  /** Leaves the segment without submitting it. @param {string} url @param {object} body @param {HTMLElement} error where a refusal is said */
  async #leave(url, body, error) {
    this.on.count();
    for (const i of cards.keys()) this.queue.sendTime(i, this.now());
    let failed = '';
    if (!await this.#saved()) failed = this.#unsaved();
    else {
      const { status, json } = await post(url, body);
      if (status === 200 && json?.next) return this.#go(json.next);
      failed = reason(status, json);
    }
    error.hidden = false;
    error.textContent = `Not sent: ${failed}`;
  }

  /** Goes on from a segment that the server has done with. @param {string} next @param {string} [takeBack] where it is taken back; empty if it is not */
  #go(next, takeBack = '') {
    this.left = true;
    leaving(takeBack, state.undo_seconds);
    this.saver.forget();
    location.assign(next);
  }

  /** Nothing can be changed while a submission is under way. @param {boolean} on */
  #work(on) {
    this.busy = on;
    el('submit').setAttribute('aria-busy', String(on));
    el('submit').classList.toggle('busy', on);
    el('main').inert = on;
    for (const i of cards.keys()) this.on.stale(i); // some of its buttons are of no use meanwhile
  }
}
