import { collab, getSyncedVersion, receiveUpdates, sendableUpdates } from '@codemirror/collab';
import { ChangeSet, Compartment, type Extension, Text, Transaction } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { changes } from '../../../base/text/changes.ts';
import { merge3 } from '../../../base/text/merge.ts';
import { rebase } from '../../../base/text/rebase.ts';
import { changedRanges, markOthers } from './others.ts';

/** A change of the document's list, as the service sends it. */
export interface SentChange {
  clientId: string;
  changes: unknown;
  author: string | null;
  via: 'web' | 'token' | 'application' | null;
  viaName: string | null;
}

/** The part of the editor that follows the document's list of changes. */
export interface CoEditing {
  /** The extension to start the editor with. */
  extension: Extension;
  attach(view: EditorView): void;
  /** Whether the editor follows a list. */
  isJoined(): boolean;
  /** The number of the last change of the list that the text has. */
  number(): number;
  /** The text as the service has it: without what hasn't been sent. */
  synced(): string;
  /** Returns what the service doesn't have yet. */
  sendable(): { clientId: string; changes: ChangeSet }[];
  /**
   * Returns what the service doesn't have yet, or hasn't confirmed, and the number of the last change
   * before it. The first `apart` changes are as they were sent; the rest is one change.
   */
  unsent(apart: number): { number: number; changes: unknown[] };
  /**
   * Goes on where an earlier page stopped: with the text that it had from the service, and what it
   * hadn't sent. The service must see the client id of that page, so that it knows its changes again.
   */
  resume(synced: string, unsent: { number: number; changes: readonly unknown[] }): void;
  /** Takes changes that come after a number. Ignores those that the text has. */
  receive(sent: readonly SentChange[], after: number): void;
  /** Notes which text the service has before the editor follows a list. */
  begin(content: string): void;
  /** Tells whether what was written here changes the same lines as others have in a text. */
  conflictsWith(text: string): boolean;
  /**
   * Begins to follow a list whose text is `text` after `number`, and merges what was written here,
   * as far as that doesn't conflict.
   *
   * @param isBased whether what was written here starts from that text
   * @param keepsOwn whether what was written here stays also where it conflicts
   * @returns the lines that conflict
   */
  join(text: string, number: number, isBased: boolean, keepsOwn?: boolean): number[];
  /** Puts the text back to what the service has, without telling it. */
  drop(): void;
  /** Notes that a revision has the text after a number. */
  saved(number: number, etag: string): void;
  /** Returns the newest revision whose text is known. */
  revision(): { etag: string; content: string };
  /** Returns where a position of the text after a number is now. */
  positionOf(position: number, number: number): number;
  /** Returns where a position is in the text that the service has. */
  sentPositionOf(position: number): number;
}

/**
 * @param clientId identifies this editor
 * @param saved the revision that the page was opened with
 */
export function createCoEditing(
  clientId: string,
  saved: { etag: string; content: string },
): CoEditing {
  const compartment = new Compartment();
  let view: EditorView;
  let isJoined = false;
  /** The newest revision whose text is known, and the changes since. */
  let revision = { etag: saved.etag, number: 0, text: textOf(saved.content) };
  let log: { number: number; changes: ChangeSet }[] = [];

  const syncedText = () => log.reduce((text, { changes }) => changes.apply(text), revision.text);
  const sendable = () => (isJoined ? sendableUpdates(view.state) : []);
  const unsent = () => sendable().map(({ changes }) => changes);

  /** Counts from now on what is typed as changes that come after a number of the list. */
  function follow(number: number): void {
    const following = collab({ startVersion: number, clientID: clientId });
    view.dispatch({ effects: compartment.reconfigure(following) });
    isJoined = true;
  }

  return {
    extension: compartment.of([]),
    attach(attached) {
      view = attached;
    },
    isJoined: () => isJoined,
    number: () => (isJoined ? getSyncedVersion(view.state) : revision.number),
    synced: () => syncedText().toString(),
    sendable: () => sendable().map(({ clientID, changes }) => ({ clientId: clientID, changes })),

    unsent(apart) {
      const changes = unsent();
      const [first, ...others] = changes.slice(apart);
      const rest = first ? [others.reduce((all, each) => all.compose(each), first)] : [];
      return {
        number: this.number(),
        changes: [...changes.slice(0, apart), ...rest].map((each) => each.toJSON()),
      };
    },

    resume(synced, { number, changes: sent }) {
      const annotations = Transaction.addToHistory.of(false);
      view.dispatch({ changes: changes(view.state.doc.toString(), synced), annotations });
      follow(number);
      for (const each of sent) {
        view.dispatch({ changes: ChangeSet.fromJSON(each), annotations });
      }
      revision = { etag: '', number, text: textOf(synced) };
      log = [];
    },

    begin(content) {
      revision = { etag: '', number: 0, text: textOf(content) };
      log = [];
    },

    receive(sent, after) {
      if (!isJoined) return;
      const known = getSyncedVersion(view.state);
      const fresh = sent.slice(Math.max(0, known - after)).map((each, index) => ({
        ...each,
        number: known + index + 1,
        changes: ChangeSet.fromJSON(each.changes),
      }));
      if (fresh.length === 0) return;
      log.push(...fresh.map(({ number, changes }) => ({ number, changes })));
      const updates = fresh.map(({ clientId, changes }) => ({ clientID: clientId, changes }));
      const transaction = receiveUpdates(view.state, updates);
      view.dispatch(transaction);
      const isOwn = fresh.every((each) => each.clientId === clientId);
      if (!isOwn) markOthers(view, changedRanges(transaction.changes));
    },

    conflictsWith: (text) =>
      merge3(syncedText().toString(), text, view.state.doc.toString()).conflicts.length > 0,

    join(text, number, isBased, keepsOwn = false) {
      const own = view.state.doc.toString();
      const base = isBased ? text : syncedText().toString();
      const { text: merged, conflicts } = rebase(base, text, own);
      const wanted = conflicts.length > 0 && !keepsOwn ? text : merged;
      // First what the service has, then what was written here, which is sent.
      const { anchor, head } = view.state.selection.main;
      const toWanted = ChangeSet.of(changes(own, wanted), own.length);
      const annotations = Transaction.addToHistory.of(false);
      view.dispatch({ changes: changes(own, text), annotations });
      follow(number);
      if (wanted !== text) view.dispatch({ changes: changes(text, wanted), annotations });
      view.dispatch({
        selection: { anchor: toWanted.mapPos(anchor), head: toWanted.mapPos(head) },
      });
      revision = { etag: '', number, text: textOf(text) };
      log = [];
      return conflicts;
    },

    drop() {
      const own = view.state.doc.toString();
      const number = isJoined ? getSyncedVersion(view.state) : 0;
      // Without following the list, so that the service is told neither what was written nor this.
      view.dispatch({ effects: compartment.reconfigure([]) });
      view.dispatch({
        changes: changes(own, syncedText().toString()),
        annotations: Transaction.addToHistory.of(false),
      });
      if (isJoined) follow(number);
    },

    saved(number, etag) {
      if (number < revision.number) return;
      const since = log.filter((each) => each.number <= number);
      if (number > revision.number + since.length) return;
      const text = since.reduce((before, { changes }) => changes.apply(before), revision.text);
      log = log.slice(since.length);
      revision = { etag, number, text };
    },
    revision: () => ({ etag: revision.etag, content: revision.text.toString() }),

    positionOf(position, number) {
      let at = position;
      for (const each of [...log.filter((one) => one.number > number), ...unsent().map(asChange)]) {
        at = each.changes.mapPos(Math.min(at, each.changes.length), 1);
      }
      return Math.min(at, view.state.doc.length);
    },
    sentPositionOf: (position) =>
      unsent().reduceRight((at, { invertedDesc }) => invertedDesc.mapPos(at, 1), position),
  };
}

const asChange = (changes: ChangeSet) => ({ changes });

const textOf = (content: string) => Text.of(content.split('\n'));
