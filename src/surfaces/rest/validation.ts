import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import { FieldError, type ServiceError } from '../../base/errors.ts';
import { isStorableText } from '../../base/schema/fields.ts';

// Never changes the input.
const ajv = new Ajv({
  coerceTypes: false,
  removeAdditional: false,
  // Errors include their schema, which has the names of the fields.
  verbose: true,
});
ajv.addFormat('text', { type: 'string', validate: isStorableText });
// These formats only describe our responses; in input, the handlers check them.
for (const format of ['uuid', 'date-time', 'uri']) ajv.addFormat(format, true);

/**
 * Compiles a route's schema at its first request, because compiling all of them slows down the
 * start. Parses integers in the query string first, which has only text. Doesn't check path
 * parameters; the handlers do.
 */
export const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  if (httpPart === 'params') return ((data: unknown) => ({ value: data })) as never;
  let validate: ValidateFunction | undefined;
  const integers = httpPart === 'querystring' ? integerProperties(schema) : [];
  const check = (data: unknown): { value: unknown } | { error: FastifySchemaValidationError[] } => {
    for (const name of integers) readInteger(data as Record<string, unknown>, name);
    const other =
      integers.includes('per_page') && OTHER_PAGING.find((name) => name in Object(data));
    if (other) return { error: [unknownParameter(other, schema)] };
    validate ??= ajv.compile(schema);
    if (validate(data)) return { value: data };
    return { error: validate.errors as FastifySchemaValidationError[] };
  };
  return check as never;
};

/**
 * What other services call the parameters of paging. Ignored, they would lead to lists that look whole.
 * All other unknown parameters are ignored, and kept in links.
 */
const OTHER_PAGING = ['limit', 'offset', 'perPage', 'page_size', 'pageSize'];

function unknownParameter(name: string, parentSchema: object): FastifySchemaValidationError {
  const params = { additionalProperty: name };
  const error = { keyword: 'additionalProperties', instancePath: '', schemaPath: '', params };
  return { ...error, parentSchema } as FastifySchemaValidationError;
}

function integerProperties(schema: object): string[] {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  return Object.keys(properties).filter((name) => properties[name]?.type === 'integer');
}

function readInteger(query: Record<string, unknown>, name: string): void {
  const text = query[name];
  if (typeof text !== 'string' || !/^-?(0|[1-9]\d*)$/.test(text)) return;
  // Integers have no maximum length; all beyond the safe ones mean "past the end of the list".
  query[name] = Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}

/** Turns a validator's error into one that names the field. */
export function validationError(
  errors: FastifySchemaValidationError[],
  part: string,
): ServiceError {
  const error = meantError(errors as unknown as ErrorObject[]);
  const path = error.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/');
  const field = path || (part === 'querystring' ? 'query' : part);
  return new FieldError('BAD_REQUEST', ...describe(error, field, path && `${path}.`));
}

/** One of the forms that a value can have, or a literal. */
interface Form {
  const?: unknown;
  properties?: Record<string, Form>;
}

/**
 * Returns the error to show. The validator reports one for each form that a value can have: shown is that of the
 * form whose literals the value has, and whose fields, if there is one.
 */
function meantError(errors: ErrorObject[]): ErrorObject {
  const meant = errors.filter(({ keyword, schema, parentSchema, data }) => {
    if (keyword === 'anyOf') return (schema as Form[]).every((form) => form.const !== undefined);
    const literals = Object.entries((parentSchema as Form)?.properties ?? {});
    return keyword !== 'const' && literals.every(([name, form]) => fits(form, Object(data)[name]));
  });
  const hasOnlyKnown = ({ parentSchema, data }: ErrorObject) =>
    !parentSchema?.properties ||
    Object.keys(Object(data)).every((name) => name in parentSchema.properties);
  return (meant.find(hasOnlyKnown) ?? meant[0] ?? errors.at(-1)) as ErrorObject;
}

function fits(form: Form, value: unknown): boolean {
  return form.const === undefined || value === undefined || form.const === value;
}

/** Returns the field whose literals tell the forms apart, and the literals. */
function literalsOf(forms: Form[], field: string): [field: string, literals: unknown[]] {
  const name = Object.keys(forms[0]?.properties ?? {}).find((one) =>
    forms.every(({ properties }) => properties?.[one]?.const !== undefined),
  );
  if (name === undefined) return [field, forms.map((form) => form.const)];
  return [`${field}.${name}`, forms.map(({ properties }) => properties?.[name]?.const)];
}

/**
 * Returns the field at fault and what is wrong with it.
 *
 * @param within what comes before the name of a field of the value
 */
function describe(
  { keyword, params, schema, parentSchema, data }: ErrorObject,
  field: string,
  within: string,
): [field: string, problem: string] {
  const known = Object.keys((parentSchema?.properties as object) ?? {});
  switch (keyword) {
    case 'required': {
      const other = Object.keys(Object(data)).find((name) => !known.includes(name));
      const instead = other ? ` “${other.slice(0, 100)}” is not a known field.` : '';
      return [within + params.missingProperty, `is required.${instead}`];
    }
    case 'additionalProperties': {
      const name = String(params.additionalProperty).slice(0, 100);
      const list = known.length > 0 ? ` Known are ${known.join(', ')}.` : '';
      return [within + name, `is not a known field.${list}`];
    }
    case 'minProperties': {
      return [field, `must have at least one of ${known.join(', ')}.`];
    }
    case 'type':
      return [field, `must be ${describeType(String(params.type))}.`];
    case 'enum':
      return [field, `must be one of ${params.allowedValues.join(', ')}.`];
    case 'anyOf': {
      const [name, literals] = literalsOf(schema as Form[], field);
      return [name, `must be one of ${[...new Set(literals)].join(', ')}.`];
    }
    case 'format':
      return [field, 'must be well-formed Unicode text without the character U+0000.'];
    case 'minimum':
      return [field, `must be at least ${schema ?? params.limit}.`];
    case 'maximum':
      return [field, `must be at most ${schema ?? params.limit}.`];
    case 'minLength':
      return [field, 'must not be empty.'];
    case 'maxLength':
      return [field, `must have at most ${params.limit} characters.`];
    case 'minItems':
      return [field, 'must not be empty.'];
    case 'maxItems':
      return [field, `must have at most ${params.limit} items.`];
    default:
      return [field, 'is not valid.'];
  }
}

function describeType(type: string): string {
  const names: Record<string, string> = {
    object: 'a JSON object',
    integer: 'an integer',
    array: 'an array',
  };
  return names[type] ?? `a ${type}`;
}
