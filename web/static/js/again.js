// A second look that would be submitted as it came. It is loaded when one is.

import { same } from './save.js';

/**
 * What is asked before a second look is submitted; empty: something was changed, now
 * or before the page was opened again.
 * @param {{cards: import('./save.js').Saved[]}} state the page's data block
 * @param {import('./save.js').Queue} queue
 */
export const unchanged = (state, queue) => (state.cards.every((c, i) => !c.revision && same(queue.cards[i].value, c))
  ? 'Nothing was changed: press again to submit your earlier ratings as they are' : '');
