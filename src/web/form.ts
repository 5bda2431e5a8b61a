import { InvalidFields } from '../account/registration-service.ts';
import { FieldError, ServiceError } from '../errors.ts';

/** What a form sent: text by field. */
export type Form = Readonly<Record<string, string>>;

/** Reads a form's body; a field that was sent twice, or whatever else is no text, is as if empty. */
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

/** What is wrong with a form: a sentence by field, or by `form` where it is of no field. */
export type Faults = Readonly<Record<string, string>>;

/** Returns what an error says, by field. */
export function faultsOf(error: ServiceError): Faults {
  const errors = error instanceof InvalidFields ? error.errors : [error];
  return Object.fromEntries(
    errors.map((each) => [each instanceof FieldError ? each.field : 'form', each.sentence]),
  );
}

/** Whether whoever filled in a form can do something about what came of it. */
export function isCorrectable(error: unknown): error is ServiceError {
  return error instanceof ServiceError && ['BAD_REQUEST', 'UNPROCESSABLE'].includes(error.code);
}

/** Whether the service said no, rather than being at fault, or away. */
export function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status < 500;
}

/** The value of a menu or of radio buttons. @throws BAD_REQUEST when it is none of the choices */
export function requireChoice<Choice extends string>(
  choices: readonly Choice[],
  value: string,
  field: string,
): Choice {
  const choice = choices.find((one) => one === value);
  if (choice !== undefined) return choice;
  throw new FieldError('BAD_REQUEST', field, `choose one of ${choices.join(', ')}.`);
}

/** The number of a page of a list, from 1; whatever is no such number is the first. */
export function pageNumberOf(text: unknown): number {
  return typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 1;
}

/** Which of the choices a form's checkboxes of one name sent, in the order of the choices. */
export function readChoices<Choice extends string>(
  body: unknown,
  name: string,
  choices: readonly Choice[],
): Choice[] {
  const fields = typeof body === 'object' && body !== null ? body : {};
  const sent = Object.hasOwn(fields, name) ? (fields as Record<string, unknown>)[name] : [];
  const values = Array.isArray(sent) ? sent : [sent];
  return choices.filter((choice) => values.includes(choice));
}
