import test from 'node:test';
import assert from 'node:assert/strict';
import { drawn, match, table } from '../static/js/keys.js';

const keys = table([{ name: 'sqm', min: 0, max: 4 }]);
const on = { typing: false, mac: false, letters: true };
const press = (key, code, more = {}) => ({ key, code, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, isComposing: false, ...more });
const acts = (event, where = on) => match(keys, event, where)?.act;

test('keys by what they do', () => {
  const cases = [
    ['score', press('3', 'Digit3'), on],
    ['score', press('3', 'Numpad3'), on],
    [undefined, press('5', 'Digit5'), on],
    ['next', press('j', 'KeyJ'), on],
    ['next', press('Enter', 'Enter'), on],
    ['previous', press('k', 'KeyK'), on],
    ['previous', press('K', 'KeyK'), on], // caps lock
    [undefined, press('J', 'KeyJ', { shiftKey: true }), on],
    ['keys', press('?', 'Slash', { shiftKey: true }), on],
    ['keys', press('?', 'Minus', { shiftKey: true }), on], // German layout
    ['undo', press('z', 'KeyZ', { ctrlKey: true }), on],
    ['redo', press('Z', 'KeyZ', { ctrlKey: true, shiftKey: true }), on],
    ['undo', press('z', 'KeyY', { ctrlKey: true }), on], // German layout, by character
    [undefined, press('j', 'KeyJ', { ctrlKey: true }), on],
    [undefined, press('j', 'KeyJ', { altKey: true }), on],
    [undefined, press('j', 'KeyJ', { metaKey: true }), on],
    ['submit', press('Enter', 'Enter', { ctrlKey: true }), on],
    ['leave', press('Escape', 'Escape'), on],
  ];
  for (const [want, event, where] of cases) assert.equal(acts(event, where), want, `${JSON.stringify(event)}`);
});

test('layouts without Latin letters go by the place of the key', () => {
  assert.equal(acts(press('о', 'KeyJ')), 'next'); // Russian
  assert.equal(acts(press('ت', 'KeyJ')), 'next'); // Arabic
  assert.equal(acts(press('ㅓ', 'KeyJ')), 'next'); // Korean
  assert.equal(acts(press('٣', 'Digit3')), 'score'); // Arabic digits
  assert.equal(match(keys, press('٣', 'Digit3'), on)?.pressed, '3');
  assert.equal(acts(press('я', 'KeyZ', { ctrlKey: true })), 'undo');
});

test('a digit says which score it gives', () => {
  assert.equal(match(keys, press('3', 'Digit3'), on)?.score, 'sqm');
});

test('French digits: with and without the shift key', () => {
  assert.equal(match(keys, press('"', 'Digit3'), on)?.pressed, '3');
  assert.equal(match(keys, press('3', 'Digit3', { shiftKey: true }), on)?.pressed, '3');
  assert.equal(acts(press('#', 'Digit3', { shiftKey: true })), undefined); // US, shifted
});

test('a Latin letter is never taken for its place', () => {
  assert.equal(acts(press('h', 'KeyJ')), undefined); // Dvorak: h where j is printed
  assert.equal(acts(press('j', 'KeyC')), 'next');
  assert.equal(acts(press(',', 'KeyW')), undefined);
});

test('never while composing', () => {
  assert.equal(acts(press('j', 'KeyJ', { isComposing: true })), undefined);
  assert.equal(acts(press('Process', 'KeyJ')), undefined);
  assert.equal(acts(press('Enter', 'Enter', { ctrlKey: true, isComposing: true })), undefined);
});

test('while typing only what leaves or submits', () => {
  const typing = { ...on, typing: true };
  assert.equal(acts(press('j', 'KeyJ'), typing), undefined);
  assert.equal(acts(press('3', 'Digit3'), typing), undefined);
  assert.equal(acts(press('z', 'KeyZ', { ctrlKey: true }), typing), undefined, 'the field undoes its own text');
  assert.equal(acts(press('Enter', 'Enter', { ctrlKey: true }), typing), 'submit');
  assert.equal(acts(press('Escape', 'Escape'), typing), 'leave');
});

test('⌘ on a Mac, Ctrl elsewhere', () => {
  const mac = { ...on, mac: true };
  assert.equal(acts(press('Enter', 'Enter', { metaKey: true }), mac), 'submit');
  assert.equal(acts(press('Enter', 'Enter', { ctrlKey: true }), mac), undefined);
  assert.equal(acts(press('Enter', 'Enter', { metaKey: true })), undefined);
});

test('single keys can be switched off', () => {
  const off = { ...on, letters: false };
  assert.equal(acts(press('j', 'KeyJ'), off), undefined);
  assert.equal(acts(press('3', 'Digit3'), off), undefined);
  assert.equal(acts(press('z', 'KeyZ', { ctrlKey: true }), off), 'undo');
  assert.equal(acts(press('Escape', 'Escape'), off), 'leave');
});

test('no digits where a score has no digit keys', () => {
  assert.ok(!table([{ name: 'score', min: 0, max: 100 }]).some((k) => k.act === 'score'));
  assert.ok(!table([{ name: 'a', min: 0, max: 4 }, { name: 'b', min: 0, max: 4 }]).some((k) => k.act === 'score'));
});

test('how keys are written', () => {
  const find = (act) => /** @type {any} */ (keys.find((k) => k.act === act));
  assert.deepEqual(drawn(find('score'), false), [['0 – 4']]);
  assert.deepEqual(drawn(find('next'), false), [['j'], ['↵']]);
  assert.deepEqual(drawn(find('redo'), true), [['⌘', 'Shift', 'Z']]);
  assert.deepEqual(drawn(find('submit'), false), [['Ctrl', '↵']]);
});
