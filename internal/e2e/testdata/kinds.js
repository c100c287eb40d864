// What tells two judgements of axe-core apart. Evaluated in a page after axe-core.
window.kinds = (() => {
  /** The attributes that assistive technology, layout or colours depend on. */
  const telling = /^(aria-.*|role|type|tabindex|hidden|disabled|open|checked|selected|lang|dir|style|popover)$/;

  /** Attributes whose values are names, words or addresses: that they are there is enough. */
  const free = /^(aria-(label|labelledby|describedby|controls|owns|activedescendant|valuetext|valuenow|roledescription|description|posinset|setsize)|style)$/;

  /**
   * The kinds of elements on the page. Two elements are of one kind if they, and the elements around
   * them, have the same names, classes and telling attributes.
   */
  function elements() {
    const kind = new Map(), all = new Set();
    for (const e of document.body.querySelectorAll('*')) {
      const own = [...e.attributes].filter(({ name }) => telling.test(name)).map(({ name, value }) => (free.test(name) ? name : `${name}=${value}`)).sort();
      const shown = e.checkVisibility() ? '' : '!';
      kind.set(e, `${kind.get(e.parentElement) ?? ''}>${shown}${e.localName}.${[...e.classList].sort().join('.')}[${own.join()}]`);
      all.add(kind.get(e));
    }
    return [...all];
  }

  /** What is painted behind an element, by it and the elements around it. */
  const behind = new Map();
  function ground(e) {
    if (!e) return '';
    if (!behind.has(e)) {
      const s = getComputedStyle(e);
      const own = [s.backgroundColor, s.backgroundImage, s.opacity, s.position, s.mixBlendMode, s.filter].filter((v) => !['rgba(0, 0, 0, 0)', 'none', '1', 'static', 'relative', 'normal'].includes(v));
      behind.set(e, ground(e.parentElement) + (own.length ? `>${own.join()}` : ''));
    }
    return behind.get(e);
  }

  /**
   * One element of each way in which text is painted on the page, by its colour, its size and what is
   * behind it. axe-core says the same of the contrast of all elements that are painted alike.
   */
  function paints() {
    behind.clear();
    const ways = new Map();
    for (const e of document.body.querySelectorAll('*')) {
      const hasText = [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.nodeValue.trim()) || e.matches('input, select, textarea');
      if (!hasText || !e.checkVisibility({ visibilityProperty: true })) continue;
      const s = getComputedStyle(e);
      const off = e.matches(':disabled, [aria-disabled=true] *, label:has(:disabled)');
      const way = [s.color, s.webkitTextFillColor, s.fontSize, s.fontWeight, s.textShadow, s.textDecorationLine, off, e.localName === 'a' && getComputedStyle(e.parentElement).color, ground(e)].join('|');
      if (!ways.has(way)) ways.set(way, e);
    }
    return ways;
  }

  let last = new Map();
  return {
    elements,
    /** The ways in which text is painted now. */
    paints: () => [...(last = paints()).keys()],
    /** The elements that stand for some of the ways that paints has listed. */
    painted: (ways) => ways.map((way) => last.get(way)),
  };
})();
