/**
 * Keeps what `make` makes of a remembered row (`storage/sql/row-memory.ts`), or of what another such
 * function made of one, for as long as that is remembered. Both are frozen, which is how a remembered row is
 * known; of any other row it is made each time.
 */
export function keptWithRow<Row extends object, Made>(
  make: (row: Row) => Made,
): (row: Row) => Made {
  const kept = new WeakMap<Row, Made>();
  return (row) => {
    const known = kept.get(row);
    if (known !== undefined) return known;
    const made = make(row);
    if (Object.isFrozen(row)) kept.set(row, Object.freeze(made));
    return made;
  };
}
