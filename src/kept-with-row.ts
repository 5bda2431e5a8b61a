/**
 * A function whose result is kept, and frozen, for as long as what it is made of is remembered: a row,
 * or what another such function made of one. They are frozen; of anything else it is made each time.
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
