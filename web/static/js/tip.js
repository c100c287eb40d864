// How errors are marked, said below the text in work to whom has never marked one in
// this browser. Nobody else loads this.

import { make } from './desk.js';

/**
 * @param {import('./desk.js').Desk} desk
 * @param {(act: string) => string} hint the key of an act, as it is written
 * @param {() => void} learnt is called after the first mark
 * @returns {() => void} puts the words where they belong from now on
 */
export function tip(desk, hint, learnt) {
  const words = make('p', { className: 'help mark-tip' });
  let done = false;
  const tell = () => {
    if (done) return;
    done = desk.cards.some((_, i) => desk.spans(i).length);
    if (done) {
      words.remove();
      return learnt();
    }
    words.textContent = `Errors: drag over words, or click the first and the last one; ${hint('keys')} shows the keys`;
    desk.cards[desk.card]?.querySelector('.card-marks')?.before(words);
  };
  tell();
  return tell;
}
