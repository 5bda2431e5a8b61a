import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { EditorState, Text } from '@codemirror/state';
import { newChance } from '../../../test/chance.ts';
import {
  type ClientChange,
  collab,
  getSyncedVersion,
  MOST_APART,
  movedOver,
  receiveUpdates,
  sendableUpdates,
} from './collaboration.ts';

const chance = newChance('collaboration');

/** A list of changes, and editors that send theirs and take others' late. */
function begin(text: string, names: readonly string[]) {
  const list: ClientChange[] = [];
  const textNow = () =>
    list.reduce((before, { changes }) => changes.apply(before), Text.of([text]));
  const editors = names.map((name) => {
    let state = EditorState.create({ doc: text, extensions: collab(0, name) });
    return {
      name,
      text: () => state.doc.toString(),
      caret: () => state.selection.main.head,
      type(at: number, insert: string, remove = 0) {
        const changes = { from: at, to: at + remove, insert };
        state = state.update({ changes, selection: { anchor: at + insert.length } }).state;
      },
      unsent: () => sendableUpdates(state).length,
      send() {
        const missed = list.slice(getSyncedVersion(state));
        list.push(...movedOver(sendableUpdates(state).slice(0, MOST_APART), missed).mine);
      },
      take(count = Infinity) {
        const from = getSyncedVersion(state);
        state = receiveUpdates(state, list.slice(from, from + count)).state;
      },
    };
  });
  return { editors, text: () => textNow().toString() };
}

describe('Changes of several editors', () => {
  for (const names of [
    ['a', 'b'],
    ['b', 'a'],
  ]) {
    it(`keep words whole that ${names} type at one place at the same time`, () => {
      const { editors, text } = begin('Here', names);
      const words = ['Telescope', 'Astronomy'];
      for (let letter = 0; letter < 9; letter++) {
        for (const [index, { type, caret }] of editors.entries()) {
          type(letter === 0 ? 4 : caret(), words[index]?.[letter] ?? '');
        }
        for (const { take } of editors) take();
        for (const { send } of editors) send();
      }
      for (const editor of editors) editor.take();
      for (const word of words) assert.ok(text().includes(word), text());
      for (const editor of editors) assert.equal(editor.text(), text());
    });
  }

  for (const names of [
    ['a', 'b'],
    ['b', 'a'],
  ]) {
    it(`keep a word whole after which somebody begins the next one, ${names}`, () => {
      const { editors, text } = begin('Here te', names);
      const [one, other] = editors;
      one?.type(7, 'n');
      other?.type(7, ' more');
      other?.send();
      one?.send();
      for (const { take } of editors) take();
      assert.equal(text(), 'Here ten more');
      for (const editor of editors) assert.equal(editor.text(), text());
    });
  }

  it('end as the same text everywhere, whatever is sent and taken when', () => {
    for (let round = 0; round < 300; round++) {
      const { editors, text } = begin('0123456789', ['', 'a', 'b', 'c'].slice(chance.below(2)));
      for (let step = 0; step < 60; step++) {
        const editor = chance.pick(editors);
        const act = chance.below(5);
        if (act === 0) editor.send();
        else if (act === 1) editor.take(1 + chance.below(4));
        else {
          const at = chance.below(editor.text().length + 1);
          const remove = chance.below(Math.min(4, editor.text().length - at + 1));
          editor.type(at, chance.pick(['', 'x', ' ', ' yz', editor.name]), remove);
        }
      }
      for (const editor of editors) editor.send();
      for (const editor of editors) editor.take();
      for (const editor of editors) assert.equal(editor.text(), text());
    }
  });

  it('are one change beyond some, which isn’t sent yet, so that few are moved over many', () => {
    const { editors, text } = begin('', ['a', 'b']);
    const [one, other] = editors;
    for (let count = 0; count < 200; count++) one?.type(count, 'x');
    other?.type(0, 'y');
    other?.send();
    assert.equal(one?.unsent(), MOST_APART + 1);
    for (let count = 0; count < 2; count++) {
      one?.send();
      one?.take();
    }
    other?.take();
    assert.equal(text(), `${'x'.repeat(200)}y`);
    assert.deepEqual([one?.text(), other?.text()], [text(), text()]);
  });
});
