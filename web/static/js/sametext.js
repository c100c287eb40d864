// The button and the key with which a card takes over the judgement of a card with the same text.

import { isJudged, offered, takeOver } from './equal.js';

/** @typedef {import('./save.js').Value} Value */

/**
 * @param {object} page
 * @param {import('../../wire').State} page.state the page's data block
 * @param {HTMLElement[]} page.cards
 * @param {string[]} page.names of the cards
 * @param {() => Value[]} page.values what the cards hold
 * @param {(i: number, value: Value) => void} page.replace gives a card another value, as one step to undo
 * @param {() => boolean} page.closed whether nothing can be changed now
 * @param {(text: string) => void} page.tell says something for all to see
 * @param {(act: string) => string} page.hint the key of an act, as it is written
 */
export function sameText({ state, cards, names, values, replace, closed, tell, hint }) {
  const buttons = cards.map((card) => /** @type {HTMLButtonElement|null} */ (card.querySelector('[data-as]')));

  /** @param {number} i */
  function take(i) {
    if (closed() || !state.cards[i]) return;
    const all = values();
    const from = offered(state.cards, all, i);
    if (from === undefined) return tell(why(i, all));
    const had = isJudged(all[i]);
    replace(i, takeOver(all[i], all[from], state.cards[i].suggestions, state.cards[from].suggestions));
    const back = hint('undo') ? `${hint('undo')} undoes it` : 'Undo takes it back';
    tell(`${names[i]} has the judgement of ${names[from]} now${had ? ', in place of its own' : ''}; ${back}`);
  }

  /** Why a card can't take over a judgement. @param {number} i @param {Value[]} all */
  function why(i, all) {
    const same = state.cards[i].same ?? [];
    if (!same.length) return `No other translation has the same text as ${names[i]}`;
    const judged = same.filter((j) => isJudged(all[j])).map((j) => names[j]);
    return judged.length ? `${names[i]} has the judgement of ${judged.join(', ')} already` : `No other translation with the text of ${names[i]} is judged yet`;
  }

  buttons.forEach((button, i) => button?.addEventListener('click', () => {
    take(i);
    cards[i].focus({ preventScroll: true }); // the button may be gone now
  }));

  return {
    take,
    /** Says on each card which judgement it can take over. */
    draw() {
      const all = values();
      buttons.forEach((button, i) => {
        if (!button) return;
        const from = offered(state.cards, all, i);
        button.disabled = from === undefined || closed();
        const name = names[from ?? state.cards[i].same?.[0] ?? i];
        const words = /** @type {HTMLElement} */ (button.firstElementChild);
        if (words.textContent !== `judge as ${name}`) words.textContent = `judge as ${name}`;
        button.title = `Take over the judgement of ${name}`;
      });
    },
  };
}
