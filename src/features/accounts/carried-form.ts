import { parse } from 'secure-json-parse';
import { nextPath } from '../../surfaces/web/next-path.ts';

/** Where users go to prove at the provider who they are. */
export const CONFIRM_UPSTREAM_PATH = '/settings/confirm/upstream';

/** The longest form that is carried, in characters. A cookie, sealed, has at most 4 KB. */
const MAX_LENGTH = 1_500;

/** A form that was sent and waits until its user has proved who they are. */
export interface CarriedForm {
  /** A path of this host. */
  action: string;
  fields: readonly (readonly [name: string, value: string])[];
}

/** Parses a carried form; `undefined` if there is none, or it is malformed or too long. */
export function readCarriedForm(text: string, webUrl: string): CarriedForm | undefined {
  if (text.length === 0 || text.length > MAX_LENGTH) return undefined;
  let parsed: Partial<CarriedForm> | null;
  try {
    parsed = parse(text);
  } catch {
    return undefined;
  }
  const action = nextPath(parsed?.action, webUrl);
  const { fields } = parsed ?? {};
  if (action === undefined || !Array.isArray(fields) || !fields.every(isField)) return undefined;
  return { action, fields };
}

function isField(field: unknown): field is [string, string] {
  return (
    Array.isArray(field) && field.length === 2 && field.every((each) => typeof each === 'string')
  );
}
