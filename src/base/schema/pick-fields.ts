import type { Static, TObject } from 'typebox';

/** Returns the fields of an object that a schema has, in its order. */
export function pickFields<Schema extends TObject>(
  { properties }: Schema,
  from: Static<Schema>,
): Static<Schema> {
  const values = from as Record<string, unknown>;
  const names = Object.keys(properties).filter((name) => name in values);
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Static<Schema>;
}
