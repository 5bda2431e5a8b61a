/** What waits to be indexed. */
interface Waiting {
  /** `null` for documents that are deleted: together they are one owner's. */
  ownerId: string | null;
  sizeBytes: number;
}

/**
 * Chooses what to index next. Owners take turns, so that one who has written much delays another by
 * one document.
 *
 * @param limits.documents how many, at most
 * @param limits.bytes how much, at most; the first is chosen however large it is
 */
export function takeTurns<Document extends Waiting>(
  waiting: readonly Document[],
  limits: { documents: number; bytes: number },
): Document[] {
  const lines = [...Map.groupBy(waiting, ({ ownerId }) => ownerId).values()];
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
