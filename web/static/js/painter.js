// One place where the page is painted after something changed: at the end of the task,
// never while a pointer is down, and so that the words in work keep their place in the
// window.

export class Painter {
  #asked = false;
  #down = false;

  /**
   * @param {() => void} paint brings the page up to date
   * @param {() => ((() => {y: number, scroller: Element}|undefined) & {rest?: (by: number) => void})|undefined} anchor what
   * keeps its place: measures where it stands in the window, and says what scrolls it;
   * rest is told by how much it still moved where the page can't be scrolled so far
   */
  constructor(paint, anchor) {
    this.paint = paint;
    this.anchor = anchor;
    // A slider is painted while it is dragged. It moves no text.
    addEventListener('pointerdown', (e) => { this.#down = !(e.target instanceof HTMLInputElement && e.target.type === 'range'); }, true);
    // The page has heard of the release before what waited is painted.
    for (const type of ['pointerup', 'pointercancel']) addEventListener(type, () => this.#release());
    addEventListener('blur', () => this.#release());
  }

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
    const where = this.anchor();
    const before = where?.();
    this.paint();
    const after = before && where?.();
    // Fractions of a pixel are rounding.
    if (!after || Math.abs(after.y - before.y) < 1) return;
    after.scroller.scrollBy({ top: after.y - before.y, behavior: 'instant' });
    const left = where?.rest ? (where()?.y ?? before.y) - before.y : 0;
    if (Math.abs(left) >= 1) where?.rest?.(left);
  }
}
