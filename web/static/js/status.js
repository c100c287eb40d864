// What the page says of itself: how saving goes, what is missing, and that nothing can
// be changed any more.

import { announce, cards, el, element, names, state } from './page.js';

/** The time of day in the campaign's time zone, with the name of the zone. @type {(at: string) => string} */
export const clock = (() => {
  const written = (/** @type {string} */ timeZone) => {
    const format = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone });
    return (/** @type {string} */ at) => `${format.format(new Date(at))} ${timeZone}`;
  };
  try {
    return written(state.timezone);
  } catch {
    return written('UTC'); // a zone that the browser does not know
  }
})();

/** How saving goes, in the foot of a page whose head scrolls away. */
const SHORT = { idle: '', saving: 'saving…', saved: '✓ saved', kept: 'not sent yet', lost: 'not saved' };

/**
 * Writes how saving goes while somebody types. The text node stays: one that is taken out of the page ends the step of
 * typing that the browser undoes, and each letter would be a step of its own.
 * @param {HTMLElement} line @param {string} words
 */
function say(line, words) {
  const text = line.firstChild;
  if (text?.nodeType === Node.TEXT_NODE && text === line.lastChild) text.nodeValue = words;
  else line.textContent = words;
}

export class Status {
  /** Why nothing can be changed any more; empty: it can. */
  closed = '';
  /** What is said in place of what is missing, until something changes. */
  #told = '';
  /** Whether that is why the segment was not submitted: it stands at the button that was pressed. */
  #refused = false;
  /** The kind of trouble that was said last. */
  #trouble = '';
  /** What the line of what is missing was written from. */
  #written = '';

  /**
   * @param {import('./save.js').Queue} queue
   * @param {() => void} ask asks for a paint
   */
  constructor(queue, ask) {
    this.queue = queue;
    this.ask = ask;
  }

  /** Says something in the line beside the submit button, until the next change. @param {string} text @param {boolean} [refused] it is why the segment was not submitted */
  tell(text, refused = false) {
    this.#told = text;
    this.#refused = refused;
    announce(text);
    this.ask();
  }

  /** Something was changed: what was said before is no longer so. */
  changed() {
    this.#told = '';
  }

  /** How saving goes. The line has its place, so that it is written at once. */
  saved() {
    if (state.preview) return;
    const { state: how, text } = this.queue.report(clock);
    const line = el('saved-text');
    say(line, text);
    el('saved').dataset.state = how;
    el('saved').title = text;
    const signedOut = how === 'lost' && ['signed out', 'not allowed', 'not found'].includes(this.queue.trouble);
    const short = el('saved-short');
    if (!signedOut) say(short, SHORT[how]);
    short.dataset.state = how;
    if (how === 'kept' || how === 'lost') {
      // Once for each kind of trouble, not for each change that is kept.
      const kind = text.replace(/\d+/g, '');
      if (kind !== this.#trouble) announce(text);
      this.#trouble = kind;
    } else if (how === 'saved') {
      this.#trouble = '';
    }
    this.#signIn(signedOut);
  }

  /** Offers the way back in. @param {boolean} needed */
  #signIn(needed) {
    const there = el('sign-in');
    if (!needed) there?.remove();
    else if (!there) {
      const link = (/** @type {string} */ text, /** @type {object} */ rest) => Object.assign(element('a', text), { href: '/sign-in', target: '_blank', rel: 'opener', ...rest });
      el('saved').append(' ', link('Sign in', { id: 'sign-in' }));
      el('saved-short').replaceChildren(link('Sign in to save', { tabIndex: -1 })); // the foot of a narrow page, which is not read out
    }
  }

  /** Nothing can be saved any more. @param {string} reason */
  close(reason) {
    this.closed = `${reason[0].toUpperCase()}${reason.slice(1).replace(/\.$/, '')}. What you entered is kept in this browser; reload the page to see whether you can go on.`;
    this.ask();
  }

  /**
   * Shows what is missing, with links, or what was told.
   * @param {number[]} left cards that are not finished
   * @param {(i: number) => {what: string}|undefined} needs
   * @param {(i: number) => void} goTo
   * @param {string} finished what is said when every card is
   */
  paint(left, needs, goTo, finished) {
    if (this.closed && el('closed').hidden) this.#shut();
    const what = left.map((i) => needs(i)?.what ?? '');
    // The line is laid out anew only where it says something else.
    const written = JSON.stringify([this.closed, this.#told, this.#refused, left, what]);
    if (written === this.#written) return;
    this.#written = written;
    const line = el('missing');
    line.classList.toggle('told', !this.closed && !!this.#told);
    line.classList.toggle('refused', !this.closed && !!this.#told && this.#refused);
    if (this.closed) return line.replaceChildren();
    if (this.#told) return line.replaceChildren(this.#told);
    if (!left.length) return line.replaceChildren(finished);
    const alone = cards.length === 1;
    const parts = left.slice(0, 8).flatMap((i, k) => {
      const link = /** @type {HTMLAnchorElement} */ (element('a', alone ? what[0] : names[i]));
      link.href = `#${cards[i].id}`;
      link.title = what[k];
      link.addEventListener('click', (e) => { e.preventDefault(); goTo(i); });
      return k ? [', ', link] : [link];
    });
    line.replaceChildren(alone ? 'Still needed: ' : said(what), ...parts, left.length > 8 ? ' …' : '');
  }

  #shut() {
    el('closed').textContent = this.closed;
    el('closed').hidden = false;
    document.body.classList.add('closed');
    for (const x of document.querySelectorAll('.card input, .card button:not(.card-line)')) /** @type {HTMLInputElement} */ (x).disabled = true;
    for (const x of document.querySelectorAll('.card textarea')) /** @type {HTMLTextAreaElement} */ (x).readOnly = true;
    el('submit').hidden = true;
    if (el('report')) el('report').hidden = true;
  }
}

/** "2 cards still need a score: ". @param {string[]} what each of them needs */
function said(what) {
  if (what.length === 1) return `1 card still needs ${what[0]}: `;
  return `${what.length} cards still need ${what.every((w) => w === 'a score') ? 'a score' : 'something'}: `;
}
