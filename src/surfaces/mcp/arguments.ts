import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TObject } from 'typebox';
import { ServiceError } from '../../base/errors.ts';
import { isStorableText } from '../../base/schema/fields.ts';
import { MAX_EDITS } from '../../base/text/edits.ts';
import { asDeclared } from './as-declared.ts';
import type { Quotation } from './quote.ts';

// `verbose`: errors include their schema, which has the names of the arguments.
const quick = new Ajv({ verbose: true });
const thorough = new Ajv({ verbose: true, allErrors: true });

/**
 * The most items of a list or object to check. One more than the longest list that a tool accepts,
 * so a longer list is reported.
 */
const SEARCHED = MAX_EDITS + 1;
/** The most faults to name. */
const NAMED = 20;

/** One fault of a call; `argument` is a path such as `edits.0.old`. */
export interface Fault {
  argument: string;
  problem: string;
}

/**
 * A call's arguments are wrong. Each line of the message names one argument, as the tool calls it.
 */
export class InvalidArguments extends ServiceError {
  /** A quote from documents that helps to correct the call. */
  readonly quotation: Quotation | undefined;

  constructor(faults: readonly Fault[], quotation?: Quotation) {
    const lines = faults.slice(0, NAMED).map(({ argument, problem }) => `${argument}: ${problem}.`);
    const more = faults.length - lines.length;
    if (more > 0) lines.push(`And ${more} more.`);
    super('BAD_REQUEST', lines.join('\n'));
    this.quotation = quotation;
  }
}

/** @param problem what is wrong with the argument, without a full stop */
export function invalidArgument(
  argument: string,
  problem: string,
  quotation?: Quotation,
): InvalidArguments {
  return new InvalidArguments([{ argument, problem }], quotation);
}

export function invalidArguments(faults: readonly Fault[]): InvalidArguments {
  return new InvalidArguments(faults);
}

/**
 * Creates the check of a tool's arguments. It compiles the schema on first use.
 *
 * @returns a function that returns the arguments as the schema declares them ({@link asDeclared})
 * @throws InvalidArguments from that function; it names one fault per argument
 */
export function compileArguments<Input>(schema: TObject): (args: unknown) => Input {
  let isValid: ValidateFunction | undefined;
  let findFaults: ValidateFunction | undefined;
  return (args) => {
    const given = asDeclared(args, schema);
    isValid ??= quick.compile(schema);
    if (!isValid(given)) {
      findFaults ??= thorough.compile(schema);
      findFaults(beginningOf(given));
      throw new InvalidArguments(faultsOf(findFaults.errors ?? isValid.errors ?? []));
    }
    const unstorable = [...unstorableTexts(given, '')];
    if (unstorable.length > 0) throw new InvalidArguments(unstorable);
    return given as Input;
  };
}

/** Shortens every list and object: the faults of megabytes of arguments would take gigabytes. */
function beginningOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, SEARCHED).map(beginningOf);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).slice(0, SEARCHED);
  return Object.fromEntries(entries.map(([name, part]) => [name, beginningOf(part)]));
}

/**
 * Finds texts with half a surrogate pair or U+0000, which cannot be stored. The schemas don't check
 * this, because some hosts refuse schemas with formats that they don't know.
 */
function* unstorableTexts(value: unknown, path: string): Generator<Fault> {
  if (typeof value === 'string' && !isStorableText(value)) {
    const problem = 'must be well-formed Unicode text without the character U+0000';
    yield { argument: path, problem };
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    yield* unstorableTexts(part, path ? `${path}.${key}` : key);
  }
}

/** Returns the first fault of each argument from a validator's errors. */
function faultsOf(errors: readonly ErrorObject[]): Fault[] {
  const faults = new Map<string, Fault>();
  for (const error of errors) {
    const fault = faultOf(error);
    if (!faults.has(fault.argument)) faults.set(fault.argument, fault);
  }
  return [...faults.values()];
}

function faultOf({ instancePath, keyword, params, message, parentSchema }: ErrorObject): Fault {
  const path = instancePath.slice(1).replaceAll('/', '.');
  const argument = path || 'arguments';
  const below = (name: unknown) => [...(path ? [path] : []), String(name).slice(0, 100)].join('.');
  switch (keyword) {
    case 'required': {
      const words = parentSchema?.properties?.[params.missingProperty]?.enum;
      const problem = words ? `is required: one of ${words.join(', ')}` : 'is required';
      return { argument: below(params.missingProperty), problem };
    }
    case 'additionalProperties': {
      const known = Object.keys(parentSchema?.properties ?? {}).join(', ');
      return {
        argument: below(params.additionalProperty),
        problem: `is not a known argument; known are ${known}`,
      };
    }
    case 'enum':
      return { argument, problem: `must be one of ${params.allowedValues.join(', ')}` };
    case 'type':
      return {
        argument,
        problem: `must be ${/^[aeio]/.test(params.type) ? 'an' : 'a'} ${params.type}`,
      };
    case 'minLength':
      return {
        argument,
        problem: params.limit === 1 ? 'must not be empty' : atLeast(params.limit, 'character'),
      };
    case 'minProperties':
      return { argument, problem: 'must not be empty' };
    case 'minItems':
      return { argument, problem: atLeast(params.limit, 'item') };
    case 'maxLength':
      return { argument, problem: `must have at most ${counted(params.limit, 'character')}` };
    case 'maxItems':
      return { argument, problem: `must have at most ${counted(params.limit, 'item')}` };
    case 'minimum':
      return { argument, problem: `must be at least ${params.limit}` };
    case 'maximum':
      return { argument, problem: `must be at most ${params.limit}` };
    default:
      return { argument, problem: message ?? 'is not valid' };
  }
}

function atLeast(count: number, what: string): string {
  return `must have at least ${counted(count, what)}`;
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}
