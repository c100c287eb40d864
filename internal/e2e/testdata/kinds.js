// What tells two judgements of axe-core apart: an expression that is evaluated in a page.
(() => {
  /** The attributes that assistive technology, layout or colours depend on. */
  const telling = /^(aria-.*|role|type|tabindex|hidden|disabled|open|checked|selected|lang|dir|style|popover)$/;

  /** Attributes whose values are names, words or addresses: that they are there is enough. */
  const free = /^(aria-(label|labelledby|describedby|controls|owns|activedescendant|valuetext|valuenow|roledescription|description|posinset|setsize)|style)$/;

  /**
   * One element of each kind that is shown on the page, of those that a selector finds. Two elements are of
   * one kind if they, and so many elements around them, have the same names, classes and telling attributes.
   */
  function elements(selector, around) {
    const tags = new Map(), all = new Map();
    const tag = (e) => {
      if (e && !tags.has(e)) {
        const own = [...e.attributes].filter(({ name, value }) => telling.test(name) && !(name === 'style' && !value)).map(({ name, value }) => (free.test(name) ? name : `${name}=${value}`)).sort();
        tags.set(e, `${e.localName}.${[...e.classList].sort().join('.')}[${own.join()}]`);
      }
      return tags.get(e) ?? '';
    };
    for (const e of document.body.querySelectorAll(selector)) {
      let kind = tag(e);
      for (let a = e.parentElement, n = 0; n < around; n++, a = a?.parentElement) kind = `${tag(a)}>${kind}`;
      if (!all.has(kind) && e.checkVisibility()) all.set(kind, e);
    }
    return all;
  }

  /** What is painted behind an element, by it and the elements around it, up to a colour that hides the rest. */
  const behind = new Map();
  function ground(e) {
    if (!e) return '';
    if (!behind.has(e)) {
      const s = getComputedStyle(e);
      const own = [s.backgroundColor, s.backgroundImage, s.position, s.mixBlendMode, s.filter].filter((v) => !['rgba(0, 0, 0, 0)', 'none', 'static', 'relative', 'normal'].includes(v));
      const hides = s.backgroundColor.startsWith('rgb(');
      behind.set(e, (hides ? '' : ground(e.parentElement)) + (own.length ? `>${own.join()}` : ''));
    }
    return behind.get(e);
  }

  /** How much of an element is seen through, by its own opacity and that of the elements around it. */
  const opacity = (e) => (e ? Number(getComputedStyle(e).opacity) * opacity(e.parentElement) : 1);

  /**
   * One element of each way in which text is painted on the page, by its colour, whether it is large, and what is
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
      const size = parseFloat(s.fontSize), large = size >= 24 || (size >= 18.66 && s.fontWeight >= 700);
      const way = [s.color, s.webkitTextFillColor, large, s.textShadow, s.textDecorationLine, off, opacity(e), e.localName === 'a' && getComputedStyle(e.parentElement).color, ground(e)].join('|');
      if (!ways.has(way)) ways.set(way, e);
    }
    return ways;
  }

  let all = new Map(), targets = new Map(), painted = new Map();
  return {
    /** The kinds of elements on the page now. */
    elements: () => [...(all = elements('*', 2)).keys()],
    /** The elements that stand for some of the kinds that elements has listed. */
    element: (kinds) => kinds.map((kind) => all.get(kind)),
    /** The kinds of elements that can be pointed at. */
    targets: () => [...(targets = elements('a, button, input, select, textarea, summary, label, [role], [tabindex]', 1)).keys()],
    /** The elements that stand for some of the kinds that targets has listed. */
    target: (kinds) => kinds.map((kind) => targets.get(kind)),
    /** The ways in which text is painted now. */
    paints: () => [...(painted = paints()).keys()],
    /** The elements that stand for some of the ways that paints has listed. */
    paint: (ways) => ways.map((way) => painted.get(way)),
  };
})()
