// How errors are marked, said in the line below the text in work to people who have never
// marked one in this browser.

import { make } from './desk.js';

/**
 * @param {import('./desk.js').Desk} desk
 * @param {(act: string) => string} hint the key of an act, as it is written
 * @param {boolean} wanted
 * @param {() => void} learnt is called after the first mark
 * @returns {() => void} puts the words where they belong from now on
 */
export function tip(desk, hint, wanted, learnt) {
  if (!wanted) return () => {};
  // The line has room for the words on each card, and keeps it.
  document.body.classList.add('newcomer');
  const words = make('span', { className: 'mark-tip' });
  const finger = matchMedia('(pointer: coarse)').matches;
  let done = false;
  return () => {
    if (done) return;
    done = desk.cards.some((_, i) => desk.spans(i).length);
    if (done) {
      words.remove();
      return learnt();
    }
    const key = hint('keys');
    words.textContent = finger ? 'Errors: hold a word and draw on, or tap the first and the last one'
      : `Errors: drag over words, or click the first and the last one${key ? `; ${key} shows the keys` : ''}`;
    desk.cards[desk.card]?.querySelector('.card-sum')?.append(words);
  };
}
