import {
  Annotation,
  ChangeSet,
  Compartment,
  type Extension,
  Text,
  Transaction,
} from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { changes } from '../../../base/text/changes.ts';
import {
  collab,
  composed,
  getSyncedVersion,
  receiveUpdates,
  sendableUpdates,
} from '../../../base/text/collaboration.ts';
import { type Rebased, rebase } from '../../../base/text/rebase.ts';
import type { Unsent } from './drafts.ts';
import { changedRanges, markOthers } from './others.ts';

/** A change of the document's list, as the service sends it. */
export interface SentChange {
  clientId: string;
  changes: unknown;
  author: string | null;
  via: 'web' | 'token' | 'application' | null;
  viaName: string | null;
  /** Whether it put a version of a passage in place of others' newer one. */
  replaces?: boolean;
}

/** The part of the editor that follows the document's list of changes. */
export interface CoEditing {
  /** The extension to start the editor with. */
  extension: Extension;
  attach(view: EditorView): void;
  /** Identifies this editor. */
  clientId(): string;
  /** Whether the editor follows a list. */
  isJoined(): boolean;
  /** The number of the last change of the list that the text has. */
  number(): number;
  /** The text as the service has it: without what hasn't been sent. */
  synced(): string;
  /** Returns what the service doesn't have yet. */
  sendable(): { clientId: string; changes: ChangeSet; replaces?: boolean | undefined }[];
  /** Returns what the service doesn't have yet, or hasn't confirmed, and what comes before it. */
  unsent(): Pick<Unsent, 'clientId' | 'number' | 'confirmed' | 'changes'>;
  /**
   * Goes on where an earlier page stopped: with the text that it had from the service, what it hadn't
   * sent, and its client id, by which the service knows its changes again.
   */
  resume(synced: string, unsent: Unsent): void;
  /** Takes changes that come after a number. Ignores those that the text has. */
  receive(sent: readonly SentChange[], after: number): void;
  /**
   * Does the same with changes that were missed for a time. Where others changed the words that were
   * changed here, their words stay.
   *
   * @returns what can't be in the text beside theirs, if there is such
   */
  receiveMissed(sent: readonly SentChange[], after: number): Rebased | undefined;
  /** Puts a text in place of what others wrote, and tells them so. */
  replace(text: string): void;
  /** Notes which text the service has before the editor follows a list. */
  begin(content: string): void;
  /**
   * Begins to follow a list whose text is `text` after `number`, and merges what was written here,
   * as far as that doesn't conflict.
   *
   * @param how.isBased whether what was written here starts from that text
   * @param how.keepsOwn whether what was written here stays also where it conflicts
   * @param how.taken how many changes of this editor, of all that it ever sent, the text has
   */
  join(
    text: string,
    number: number,
    how: { isBased: boolean; keepsOwn: boolean; taken: number | undefined },
  ): Rebased;
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

/** Marks what puts a version in place of others' newer one. */
const replacing = Annotation.define<boolean>();

const unnoticed = Transaction.addToHistory.of(false);

/**
 * @param clientIdAtFirst identifies this editor
 * @param saved the revision that the page was opened with
 */
export function createCoEditing(
  clientIdAtFirst: string,
  saved: { etag: string; content: string },
): CoEditing {
  const compartment = new Compartment();
  let view: EditorView;
  let isJoined = false;
  let clientId = clientIdAtFirst;
  /** How many changes the service has confirmed. */
  let confirmed = 0;
  /** The newest revision whose text is known, and the changes since. */
  let revision = { etag: saved.etag, number: 0, text: textOf(saved.content) };
  let log: { number: number; changes: ChangeSet }[] = [];

  const after = (text: Text, sets: readonly ChangeSet[]) =>
    sets.reduce((before, changes) => changes.apply(before), text);
  const syncedText = () =>
    after(
      revision.text,
      log.map(({ changes }) => changes),
    );
  const sendable = () => (isJoined ? sendableUpdates(view.state) : []);
  const unsent = () => sendable().map(({ changes }) => changes);

  /** Counts from now on what is typed as changes that come after a number of the list. */
  function follow(number: number): void {
    const following = collab(number, clientId);
    // The editor keeps its state while it is configured.
    isJoined = false;
    view.dispatch({ effects: compartment.reconfigure([]) });
    view.dispatch({ effects: compartment.reconfigure(following) });
    isJoined = true;
  }

  /** Returns the changes that the text doesn't have. */
  function freshOf(sent: readonly SentChange[], number: number): readonly SentChange[] {
    const known = isJoined ? getSyncedVersion(view.state) : -1;
    // After a gap, the answer to joining comes.
    return number > known ? [] : sent.slice(known - number);
  }

  function change(from: string, to: string): void {
    if (from !== to) view.dispatch({ changes: changes(from, to), annotations: unnoticed });
  }

  return {
    extension: compartment.of([]),
    attach(attached) {
      view = attached;
    },
    clientId: () => clientId,
    isJoined: () => isJoined,
    number: () => (isJoined ? getSyncedVersion(view.state) : revision.number),
    synced: () => syncedText().toString(),
    sendable: () =>
      sendable().map(({ clientID, changes, origin }) => {
        return { clientId: clientID, changes, replaces: origin.annotation(replacing) };
      }),

    unsent() {
      const changes = unsent().map((each) => each.toJSON());
      return { clientId, number: this.number(), confirmed, changes };
    },

    resume(synced, { clientId: former, number, confirmed: before, changes: sent }) {
      [clientId, confirmed, isJoined] = [former, before, false];
      change(view.state.doc.toString(), synced);
      follow(number);
      for (const each of sent) {
        view.dispatch({ changes: ChangeSet.fromJSON(each), annotations: unnoticed });
      }
      revision = { etag: '', number, text: textOf(synced) };
      log = [];
    },

    begin(content) {
      revision = { etag: '', number: 0, text: textOf(content) };
      log = [];
    },

    receive(sent, number) {
      const known = this.number();
      const fresh = freshOf(sent, number).map((each, index) => ({
        ...each,
        number: known + index + 1,
        changes: ChangeSet.fromJSON(each.changes),
      }));
      if (fresh.length === 0) return;
      log.push(...fresh.map(({ number, changes }) => ({ number, changes })));
      const updates = fresh.map(({ clientId, changes }) => ({ clientID: clientId, changes }));
      const transaction = receiveUpdates(view.state, updates);
      view.dispatch(transaction);
      const own = fresh.filter((each) => each.clientId === clientId).length;
      confirmed += own;
      if (own < fresh.length) markOthers(view, changedRanges(transaction.changes));
    },

    receiveMissed(sent, number) {
      const fresh = freshOf(sent, number);
      const own = fresh.filter((each) => each.clientId === clientId).length;
      const [first, ...others] = fresh.map((each) => ChangeSet.fromJSON(each.changes));
      const [mine, ...more] = unsent();
      const [synced, written] = [syncedText(), view.state.doc.toString()];
      const hasBoth = first && mine && own < fresh.length && own <= more.length;
      const touch =
        hasBoth && touchSameWords(synced, composed([first, ...others]), composed([mine, ...more]));
      this.receive(sent, number);
      if (!touch) return undefined;
      // With what the service has taken of it already.
      const base = after(synced, [mine, ...more].slice(0, own)).toString();
      const rebased = rebase(base, this.synced(), written);
      change(view.state.doc.toString(), rebased.merged.text);
      return rebased;
    },

    replace(text) {
      const now = view.state.doc.toString();
      view.dispatch({ changes: changes(now, text), annotations: replacing.of(true) });
    },

    join(text, number, { isBased, keepsOwn, taken = 0 }) {
      const own = view.state.doc.toString();
      const known = unsent().slice(0, Math.max(0, taken - confirmed));
      const base = isBased ? text : after(syncedText(), known).toString();
      const rebased = rebase(base, text, own);
      const wanted = keepsOwn ? rebased.text : rebased.merged.text;
      // First what the service has, then what was written here, which is sent.
      const { anchor, head } = view.state.selection.main;
      const toWanted = ChangeSet.of(changes(own, wanted), own.length);
      change(own, text);
      follow(number);
      change(text, wanted);
      view.dispatch({
        selection: { anchor: toWanted.mapPos(anchor), head: toWanted.mapPos(head) },
      });
      revision = { etag: '', number, text: textOf(text) };
      log = [];
      confirmed = taken;
      return rebased;
    },

    drop() {
      const own = view.state.doc.toString();
      const number = isJoined ? getSyncedVersion(view.state) : undefined;
      isJoined = false;
      // Without following the list, so that the service is told neither what was written nor this.
      view.dispatch({ effects: compartment.reconfigure([]) });
      change(own, syncedText().toString());
      if (number !== undefined) follow(number);
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

const APART = /\n|[^\p{L}\p{N}\p{M}_][\p{L}\p{N}\p{M}_]+[^\p{L}\p{N}\p{M}_]/u;
const ONE_WORD = /^[\p{L}\p{N}\p{M}_]+$/u;
const RUNS_TOGETHER = /[\p{L}\p{N}\p{M}_]\0[\p{L}\p{N}\p{M}_]/u;

/**
 * Tells whether two changes of a text touch the same words: no whole word of a line stands between
 * them. What both only insert is apart, unless it is in one word or becomes one.
 */
export function touchSameWords(text: Text, theirs: ChangeSet, mine: ChangeSet): boolean {
  const there = placesOf(theirs);
  return placesOf(mine).some((own) =>
    there.some((other) => {
      const [first, second] = own.from <= other.from ? [own, other] : [other, own];
      const between = first.to < second.from ? text.sliceString(first.to, second.from) : '';
      if (APART.test(between)) return false;
      if (own.from < own.to || other.from < other.to) return true;
      const seams = `${own.added}\0${other.added}\0${own.added}`;
      return between === '' ? RUNS_TOGETHER.test(seams) : ONE_WORD.test(between);
    }),
  );
}

function placesOf(set: ChangeSet): { from: number; to: number; added: string }[] {
  const places: ReturnType<typeof placesOf> = [];
  set.iterChanges((from, to, _start, _end, added) => {
    places.push({ from, to, added: added.toString() });
  });
  return places;
}
