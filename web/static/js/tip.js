// What the line below the text in work says of marking: how it is done, to people who have
// never marked an error in this browser, and what the first of two clicks waits for.

import { make } from './desk.js';

/**
 * @param {import('./desk.js').Desk} desk
 * @param {(act: string) => string} hint the key of an act, as it is written
 * @param {boolean} wanted how errors are marked is said
 * @param {() => void} learnt is called after the first mark
 * @returns {() => void} puts the words where they belong from now on
 */
export function tip(desk, hint, wanted, learnt) {
  // The line has room for the words on each card, and keeps it.
  document.body.classList.toggle('newcomer', wanted);
  const finger = matchMedia('(pointer: coarse)').matches;
  const words = make('span', { className: 'mark-tip' });
  const waits = make('span', { className: 'mark-waits' });
  const key = (/** @type {string} */ act, /** @type {string} */ does) => (hint(act) && !finger ? `; ${hint(act)} ${does}` : '');
  let teaches = wanted;
  const marks = desk.rules.terms ? 'Terms' : 'Errors';

  /** Says something in a line, or nothing. @param {HTMLElement} node @param {Element|null|undefined} line @param {string} text */
  function say(node, line, text) {
    if (!line || !text) return node.remove();
    if (node.textContent !== text) node.textContent = text;
    if (node.parentNode !== line) line.append(node);
  }

  return () => {
    if (teaches && desk.cards.some((_, i) => desk.spans(i).length)) {
      teaches = false;
      learnt();
    }
    const line = desk.cards[desk.card]?.querySelector('.card-sum');
    say(words, line, !teaches ? '' : finger ? `${marks}: hold a word and draw on, or tap the first and the last one`
      : `${marks}: drag over words, or click the first and the last one${key('keys', 'shows the keys')}`);
    say(waits, line, !desk.armed ? '' : `Now ${finger ? 'tap' : 'click'} the last word${key('leave', 'lets go')}`);
  };
}
