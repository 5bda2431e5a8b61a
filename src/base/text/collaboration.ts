import {
  Annotation,
  type ChangeSet,
  type EditorState,
  type Extension,
  StateField,
  Transaction,
} from '@codemirror/state';

/** A change set, and the editor that it came from: programs have none. */
export interface ClientChange {
  clientID: string;
  changes: ChangeSet;
}

/** Makes one of changes that follow one another: by halves, so that none is copied for each other. */
export function composed(changes: readonly ChangeSet[]): ChangeSet {
  const [first] = changes;
  if (first === undefined) throw new Error('There is no change.');
  if (changes.length === 1) return first;
  const middle = changes.length >> 1;
  return composed(changes.slice(0, middle)).compose(composed(changes.slice(middle)));
}

const CONTINUES = /^[\p{L}\p{N}\p{M}_]/u;

/**
 * Returns by what it is decided whose text stands first where two changes insert at one place: what goes on
 * with a word, then the ids of the editors.
 */
function rankOf({ clientID, changes }: ClientChange): string {
  let first = '';
  changes.iterChanges((_from, _to, _start, _end, inserted) => {
    first ||= inserted.sliceString(0, 2);
  });
  return `${CONTINUES.test(first) ? 0 : 1}${clientID}`;
}

/**
 * Moves an editor's changes over those that came between, and those over them. Where both insert at one
 * place, it doesn't count which came first: so what somebody types there stays in one piece while somebody
 * else types there, too. Each is moved by itself: over several as one, some would
 * come to another place than where all are moved one after another.
 *
 * @param came what the list has after what the editor had, also what it has of `mine`
 * @returns what the list doesn't have of `mine`, and what `mine` doesn't have of the list
 */
export function movedOver<Mine extends ClientChange>(
  mine: readonly Mine[],
  came: readonly ClientChange[],
): { mine: readonly Mine[]; others: readonly ChangeSet[] } {
  let accepted = 0;
  let others: { changes: ChangeSet; rank: string }[] = [];
  const move = (own: Mine): Mine => {
    let { changes } = own;
    const rank = rankOf(own);
    others = others.map((other) => {
      const isBefore = other.rank < rank;
      const moved = other.changes.map(changes, isBefore);
      changes = changes.map(other.changes, !isBefore);
      return { ...other, changes: moved };
    });
    return { ...own, changes };
  };
  for (const change of came) {
    const own = mine[accepted];
    if (own?.clientID === change.clientID) {
      move(own);
      accepted += 1;
    } else others.push({ changes: change.changes, rank: rankOf(change) });
  }
  return {
    mine: mine.slice(accepted).map(move),
    others: others.map(({ changes }) => changes),
  };
}

/** How many unconfirmed changes are kept apart. What is typed beyond that is one change, which isn't sent yet. */
export const MOST_APART = 50;

/** A change that the service hasn't confirmed. */
interface Unconfirmed extends ClientChange {
  origin: Transaction;
}

/** What an editor knows of its document's list of changes. */
interface Following {
  clientID: string;
  /** The number of the last change that it has. */
  number: number;
  unconfirmed: readonly Unconfirmed[];
}

const received = Annotation.define<Following>();

const following = StateField.define<Following>({
  create: () => ({ clientID: '', number: 0, unconfirmed: [] }),
  update(value, transaction) {
    const { changes } = transaction;
    const { clientID, unconfirmed } = value;
    const now = transaction.annotation(received);
    if (now || changes.empty) return now ?? value;
    const apart = unconfirmed.slice(0, MOST_APART);
    const last = unconfirmed[MOST_APART];
    const next = last
      ? { ...last, changes: last.changes.compose(changes) }
      : { clientID, changes, origin: transaction };
    return { ...value, unconfirmed: [...apart, next] };
  },
});

/** Follows a list of changes from a number on. What is typed from then on is to be sent. */
export function collab(number: number, clientID: string): Extension {
  return following.init(() => ({ clientID, number, unconfirmed: [] }));
}

/** Returns what is to be sent; of that, at once the first {@link MOST_APART}. */
export const sendableUpdates = (state: EditorState) => state.field(following).unconfirmed;

/** Returns the number of the last change of the list that the text has. */
export const getSyncedVersion = (state: EditorState) => state.field(following).number;

/** Takes the next changes of the list, also those that are this editor's own. */
export function receiveUpdates(state: EditorState, updates: readonly ClientChange[]): Transaction {
  const { number, unconfirmed, clientID } = state.field(following);
  const { mine, others } = movedOver(unconfirmed, updates);
  const now = received.of({ clientID, number: number + updates.length, unconfirmed: mine });
  if (others.length === 0) return state.update({ annotations: now });
  return state.update({
    changes: composed(others),
    annotations: [Transaction.addToHistory.of(false), Transaction.remote.of(true), now],
    filter: false,
  });
}
