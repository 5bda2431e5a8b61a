import { FieldError, InvalidFields, ServiceError } from '../../base/errors.ts';
import type { Actor } from '../../core/context.ts';

/** A submitted form: text by field. */
export type Form = Readonly<Record<string, string>>;

/** Reads a form's body. Repeated fields and other values that aren't text count as empty. */
export function readForm<Name extends string>(
  body: unknown,
  names: readonly Name[],
): Record<Name, string> {
  const fields = typeof body === 'object' && body !== null ? body : {};
  const entries = names.map((name) => {
    const value = Object.hasOwn(fields, name) ? (fields as Form)[name] : undefined;
    return [name, typeof value === 'string' ? value : ''];
  });
  return Object.fromEntries(entries);
}

/** A form's errors: a sentence by field, or under `form`. */
export type Faults = Readonly<Record<string, string>>;

/** Returns an error's sentences by field. */
export function faultsOf(error: ServiceError): Faults {
  const errors = error instanceof InvalidFields ? error.errors : [error];
  return Object.fromEntries(
    errors.map((each) => [each instanceof FieldError ? each.field : 'form', each.sentence]),
  );
}

const CORRECTABLE = ['BAD_REQUEST', 'UNPROCESSABLE', 'QUOTA_EXCEEDED'];

/** Tells whether the user can fix the error in the form, or by making room. */
export function isCorrectable(error: unknown): error is ServiceError {
  return error instanceof ServiceError && CORRECTABLE.includes(error.code);
}

/** Tells whether the service refused the request. Failures and redirects aren't refusals. */
export function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status >= 400 && error.status < 500;
}

/** Returns the value of a menu or of radio buttons. @throws BAD_REQUEST if it is not a choice */
export function requireChoice<Choice extends string>(
  choices: readonly Choice[],
  value: string,
  field: string,
): Choice {
  const choice = choices.find((one) => one === value);
  if (choice !== undefined) return choice;
  throw new FieldError('BAD_REQUEST', field, `choose one of ${choices.join(', ')}.`);
}

/** Returns when a day such as `2026-01-31` begins, in ms. @throws BAD_REQUEST for anything else */
export function requireDay(field: string, text: string): number {
  const time = Date.parse(text.trim());
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.trim());
  if (isDay && text.trim().length === '2026-01-31'.length) return time;
  throw new FieldError('BAD_REQUEST', field, 'write the day as 2026-01-31.');
}

/** Parses the number of a result page, from 1. Anything else counts as 1. */
export function pageNumberOf(text: unknown): number {
  return typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 1;
}

/** Returns all texts of a repeated field, at most `most`. */
export function readTexts(body: unknown, name: string, most: number): string[] {
  const fields = typeof body === 'object' && body !== null ? body : {};
  const sent = Object.hasOwn(fields, name) ? (fields as Record<string, unknown>)[name] : [];
  const values: unknown[] = Array.isArray(sent) ? sent : [sent];
  return values.filter((value) => typeof value === 'string').slice(0, most);
}

/** Returns the checked choices of a form's checkboxes, in the order of the choices. */
export function readChoices<Choice extends string>(
  body: unknown,
  name: string,
  choices: readonly Choice[],
): Choice[] {
  const values = readTexts(body, name, Number.POSITIVE_INFINITY);
  return choices.filter((choice) => values.includes(choice));
}

/** Refuses a text if another user has signed in, in another tab, since the editor was opened. */
export function requireSameWriter(actor: Actor, { account }: { account: string }): void {
  if (account === '' || account === actor.id) return;
  throw new FieldError(
    'FORBIDDEN',
    'account',
    `You’re now signed in as ${actor.username}, but another user wrote this. ` +
      'Sign in as that user, then save again.',
  );
}
