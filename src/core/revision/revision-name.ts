export interface RevisionName {
  name: string;
  number: number;
}

/** Documents' names cannot contain `@`. */
const AT = /^([^@]+)@([1-9]\d{0,8})$/;

/** Parses `plan@3`; `undefined` for a document's name without a revision. */
export function parseRevisionName(text: string): RevisionName | undefined {
  const [, name, number] = AT.exec(text) ?? [];
  return name === undefined ? undefined : { name, number: Number(number) };
}
