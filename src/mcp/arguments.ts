import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TObject } from 'typebox';
import { ServiceError } from '../errors.ts';
import { isStorableText } from '../schema.ts';

// Nothing is coerced or dropped: what a caller sent is what is judged.
const ajv = new Ajv({
  ...{ coerceTypes: false, removeAdditional: false, useDefaults: true },
  // So that an error tells what is known in the place of what is not.
  verbose: true,
});

/**
 * Makes the check of a tool's arguments, compiled at its first use.
 *
 * @returns gives the arguments back, with defaults filled in where they stand
 * @throws BAD_REQUEST from the check; the message names the argument
 */
export function compileArguments<Input>(schema: TObject): (args: unknown) => Input {
  let validate: ValidateFunction | undefined;
  return (args) => {
    validate ??= ajv.compile(schema);
    const value = args ?? {};
    if (!validate(value)) throw invalid(validate.errors?.[0] as ErrorObject);
    requireStorableText(value, '');
    return value as Input;
  };
}

/**
 * Half a surrogate pair and U+0000 cannot be stored. That is checked here and not by the schemas,
 * because some hosts refuse schemas with formats that they do not know.
 */
function requireStorableText(value: unknown, path: string): void {
  if (typeof value === 'string' && !isStorableText(value)) {
    throw new ServiceError(
      'BAD_REQUEST',
      `${path}: must be well-formed Unicode text without the character U+0000.`,
    );
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    requireStorableText(part, path ? `${path}.${key}` : key);
  }
}

function invalid(error: ErrorObject): ServiceError {
  const path = error.instancePath.slice(1).replaceAll('/', '.');
  return new ServiceError('BAD_REQUEST', describe(error, path || 'arguments'));
}

function describe({ keyword, params, message, parentSchema }: ErrorObject, field: string): string {
  const below = (name: unknown) => {
    const text = String(name).slice(0, 100);
    return field === 'arguments' ? text : `${field}.${text}`;
  };
  switch (keyword) {
    case 'required':
      return `${below(params.missingProperty)}: is required.`;
    case 'additionalProperties':
      return (
        `${below(params.additionalProperty)}: is not a known argument; ` +
        `known are ${Object.keys(parentSchema?.properties ?? {}).join(', ')}.`
      );
    case 'enum':
      return `${field}: must be one of ${params.allowedValues.join(', ')}.`;
    case 'type':
      return `${field}: must be ${/^[aeio]/.test(params.type) ? 'an' : 'a'} ${params.type}.`;
    default:
      return `${field}: ${message ?? 'is not valid'}.`;
  }
}
