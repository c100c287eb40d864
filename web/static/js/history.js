// Undo and redo of what is entered on the cards of a segment, in the order in
// which it was entered.

/** @typedef {import('./save.js').Value} Value */
/** @typedef {{index: number, before: Value, after: Value}} Step */

const LIMIT = 500;

export class History {
  constructor() {
    /** @type {Step[]} */
    this.done = [];
    /** @type {Step[]} */
    this.undone = [];
  }

  /** @param {Step} step */
  push(step) {
    this.done.push(step);
    if (this.done.length > LIMIT) this.done.shift();
    this.undone = [];
  }

  /** Whether there is a step to take back, or to do once more. @param {'undo'|'redo'} way */
  has(way) {
    return (way === 'undo' ? this.done : this.undone).length > 0;
  }

  /** The step to take back: its card returns to before. @returns {Step|undefined} */
  undo() {
    const step = this.done.pop();
    if (step) this.undone.push(step);
    return step;
  }

  /** The step to do once more: its card returns to after. @returns {Step|undefined} */
  redo() {
    const step = this.undone.pop();
    if (step) this.done.push(step);
    return step;
  }

  /** A card was changed from elsewhere: its steps no longer fit. @param {number} index */
  forget(index) {
    this.done = this.done.filter((s) => s.index !== index);
    this.undone = this.undone.filter((s) => s.index !== index);
  }
}
