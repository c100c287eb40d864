// Active time: the seconds a card is in work while the page is seen, has the
// focus, and was touched less than a while ago. The clock is handed in, in
// milliseconds of any origin that only moves forward.

export class ActiveTime {
  /** @param {number} idleSeconds @param {number} now */
  constructor(idleSeconds, now) {
    this.idle = idleSeconds * 1000;
    this.attended = false;
    this.input = now;
    this.mark = now;
    this.gained = 0;
  }

  /** Someone moved, typed or scrolled. @param {number} now */
  touch(now) {
    this.#count(now);
    this.input = now;
  }

  /** The page is seen and has the focus, or not. @param {boolean} attended @param {number} now */
  attend(attended, now) {
    this.#count(now);
    if (attended && !this.attended) this.input = now;
    this.attended = attended;
  }

  /** The seconds since the last call, for the card that was in work. @param {number} now @returns {number} */
  take(now) {
    this.#count(now);
    const seconds = this.gained / 1000;
    this.gained = 0;
    return seconds;
  }

  /** @param {number} now */
  #count(now) {
    if (this.attended) this.gained += Math.max(0, Math.min(now, this.input + this.idle) - this.mark);
    this.mark = Math.max(this.mark, now);
  }
}
