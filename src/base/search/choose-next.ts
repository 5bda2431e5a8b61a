interface Waiting {
  /** `null` for deleted documents, which count as one owner's. */
  ownerId: string | null;
  sizeBytes: number;
}

/** The owner of the document chosen last. */
export type LastOwner = Waiting['ownerId'] | undefined;

/**
 * Chooses what to index next. Owners take turns in the order of their ids, so that an owner with
 * many documents delays another by only one.
 *
 * @param limits.documents the most documents
 * @param limits.bytes the most bytes; the first document is chosen whatever its size
 * @param lastOwner of the previous choice; the next owner's turn is first
 */
export function chooseNext<Document extends Waiting>(
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

/** Groups documents by owner, in the order of the owners' turns. */
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
