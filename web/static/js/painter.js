// One place where the page is painted after something changed: at the end of the task,
// never while a pointer is down, and so that the words in work keep their place in the
// window.

/**
 * @typedef {(() => {y: number, scroller: Element}|undefined) & {rest?: (by: number) => void}} Anchor what keeps its
 * place: measures where it stands in the window, and says what scrolls it; rest is told by how
 * much it still moved where the page can't be scrolled so far
 */

/**
 * Makes a change that moves texts, in which what is in work keeps its place in the window.
 * @param {Anchor|undefined} where @param {() => void} change
 * @returns {number} by how much it still moved, in pixels: the page can't be scrolled so far
 */
export function inPlace(where, change) {
  const before = where?.();
  change();
  const after = before && where?.();
  // Fractions of a pixel are rounding.
  if (!where || !after || Math.abs(after.y - before.y) < 1) return 0;
  after.scroller.scrollBy({ top: after.y - before.y, behavior: 'instant' });
  return (where()?.y ?? before.y) - before.y;
}

export class Painter {
  #asked = false;
  #down = false;

  /**
   * @param {() => void} paint brings the page up to date
   * @param {() => Anchor|undefined} anchor what keeps its place
   * @param {() => void} first is called before each paint; it keeps places by itself
   */
  constructor(paint, anchor, first) {
    this.paint = paint;
    this.anchor = anchor;
    this.first = first;
    // A slider is painted while it is dragged. It moves no text.
    addEventListener('pointerdown', (e) => { this.#down = !(e.target instanceof HTMLInputElement && e.target.type === 'range'); }, true);
    // The page has heard of the release before what waited is painted.
    for (const type of ['pointerup', 'pointercancel']) addEventListener(type, () => this.#release());
    addEventListener('blur', () => this.#release());
  }

  /** Whether a pointer is down. */
  get down() { return this.#down; }

  /** Asks for a paint. */
  ask() {
    if (this.#asked) return;
    this.#asked = true;
    queueMicrotask(() => this.#run());
  }

  #release() {
    this.#down = false;
    if (this.#asked) queueMicrotask(() => this.#run());
  }

  #run() {
    if (this.#down || !this.#asked) return;
    this.#asked = false;
    this.first();
    const where = this.anchor();
    const left = inPlace(where, this.paint);
    if (Math.abs(left) >= 1) where?.rest?.(left);
  }
}
