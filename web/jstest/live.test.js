import test from 'node:test';
import assert from 'node:assert/strict';

// A document of a few lines: what live.js reads and changes of one.
class Node {
  constructor(nodeType, nodeName) { Object.assign(this, { nodeType, nodeName, parent: null, nodeValue: null, childNodes: [] }); }
  get firstChild() { return this.childNodes[0] ?? null; }
  get nextSibling() { return this.parent?.childNodes[this.parent.childNodes.indexOf(this) + 1] ?? null; }
  remove() { this.parent?.childNodes.splice(this.parent.childNodes.indexOf(this), 1); this.parent = null; }
  insertBefore(node, at) {
    node.remove();
    this.childNodes.splice(at ? this.childNodes.indexOf(at) : this.childNodes.length, 0, node);
    node.parent = this;
  }
  contains(node) { return node === this || this.childNodes.some((child) => child.contains(node)); }
  get text() { return this.nodeValue ?? this.childNodes.map((child) => child.text).join(''); }
}
class Element extends Node {
  constructor(name, attributes) { super(1, name.toUpperCase()); this.held = new Map(Object.entries(attributes)); }
  get id() { return this.held.get('id') ?? ''; }
  get children() { return this.childNodes.filter((child) => child instanceof Element); }
  get attributes() { return [...this.held].map(([name, value]) => ({ name, value })); }
  getAttribute(name) { return this.held.get(name) ?? null; }
  hasAttribute(name) { return this.held.has(name); }
  setAttribute(name, value) { this.held.set(name, value); }
  removeAttribute(name) { this.held.delete(name); }
  closest(name) { return this.nodeName === name.toUpperCase() ? this : this.parent?.closest(name) ?? null; }
}
const el = (name, attributes, ...children) => {
  const e = new Element(name, attributes);
  for (const c of children) {
    const node = typeof c === 'string' ? Object.assign(new Node(3, '#text'), { nodeValue: c }) : c;
    e.insertBefore(node, null);
  }
  return e;
};
const doc = { activeElement: null, querySelectorAll: () => [], importNode: (node) => node };
Object.assign(globalThis, { Node, Element, HTMLElement: Element, HTMLDetailsElement: class extends Element {}, document: doc });
const { patch } = await import('../static/js/live.js');

/** The queue with segments; its reason is what the page had when it was written. */
const queue = (reason, ...segments) => el('div', {},
  segments.length ? el('form', {}, el('table', {}, ...segments.map((s) => el('tr', { 'data-key': s }, s))), el('input', { value: reason })) : el('section', {}, 'Nothing here'),
  el('div', { 'data-key': 'live-line', 'data-live-line': '', 'data-live-skip': '' }, 'said'));
const rows = (root) => root.children[0].children[0].children.map((row) => row.text).join(' ');

test('the rows are renewed while somebody types the reason, and the reason is not', () => {
  const page = queue('typed', 's1', 's2');
  doc.activeElement = page.children[0].children[1];
  assert.equal(patch(page, queue('', 's2', 's3')), true);
  assert.equal(rows(page), 's2 s3');
  assert.equal(doc.activeElement.getAttribute('value'), 'typed');
  doc.activeElement = null;
  patch(page, queue('', 's3'));
  assert.equal(page.children[0].children[1].getAttribute('value'), '');
});

test('the line that says how fresh the page is stays when the last row leaves', () => {
  const page = queue('', 's1');
  const line = page.children[1];
  assert.equal(patch(page, queue('')), true);
  assert.equal(page.text, 'Nothing heresaid');
  assert.equal(page.children[1], line);
});

test('a form that is left as it was sent is said to be old', () => {
  const page = queue('', 's1');
  page.children[0].setAttribute('data-live-skip', '');
  assert.equal(patch(page, queue('', 's2')), false);
  assert.equal(rows(page), 's1');
});
