/** What waits to be indexed. */
interface Waiting {
  /** `null` for documents that are deleted: together they are one owner's. */
  ownerId: string | null;
  sizeBytes: number;
}

/** The owner whose document was chosen last, where there is one. */
export type LastOwner = Waiting['ownerId'] | undefined;

/**
 * Chooses what to index next. Owners take turns in the order of their ids, so that one who has written
 * much delays another by one document.
 *
 * @param limits.documents how many, at most
 * @param limits.bytes how much, at most; the first is chosen however large it is
 * @param lastOwner of the previous choice, behind whom the turns go on
 */
export function takeTurns<Document extends Waiting>(
  waiting: readonly Document[],
  limits: { documents: number; bytes: number },
  lastOwner?: LastOwner,
): Document[] {
  const lines = linesFrom(waiting, lastOwner);
  const chosen: Document[] = [];
  let bytes = 0;
  for (let turn = 0; chosen.length < waiting.length; turn++) {
    for (const line of lines) {
      const document = line[turn];
      if (!document) continue;
      bytes += document.sizeBytes;
      const isTooMuch = bytes > limits.bytes && chosen.length > 0;
      if (isTooMuch || chosen.length === limits.documents) return chosen;
      chosen.push(document);
    }
  }
  return chosen;
}

/** Each owner's documents, in the order of the owners' turns. */
function linesFrom<Document extends Waiting>(
  waiting: readonly Document[],
  lastOwner: LastOwner,
): Document[][] {
  const byOwner = Map.groupBy(waiting, ({ ownerId }) => ownerId ?? '');
  const owners = [...byOwner.keys()].sort();
  const next = lastOwner === undefined ? 0 : owners.findIndex((owner) => owner > (lastOwner ?? ''));
  const first = Math.max(next, 0);
  return [...owners.slice(first), ...owners.slice(0, first)].map(
    (owner) => byOwner.get(owner) ?? [],
  );
}
