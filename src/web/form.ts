import { InvalidFields } from '../account/registration-service.ts';
import type { ServiceError } from '../errors.ts';

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

/**
 * The faults that an error tells of. Messages begin with the name of the field, as in
 * `email: must be an email address.`
 */
export function faultsOf(error: ServiceError): Faults {
  const messages = error instanceof InvalidFields ? error.messages : [error.message];
  return Object.fromEntries(
    messages.map((message) => {
      const [, field = 'form', sentence = message] = /^([a-z]+): (.*)$/s.exec(message) ?? [];
      return [field, sentence.charAt(0).toUpperCase() + sentence.slice(1)];
    }),
  );
}
