import {
  BackEndUnavailable,
  type ErrorCode,
  internalError,
  ServiceError,
  unavailable,
} from '../errors.ts';
import { InvalidArguments } from './arguments.ts';
import type { Quotation } from './quote.ts';
import type { Tool } from './tool.ts';

/** The codes of errors on this surface: those of the API, and one for all that is wrong with arguments. */
type FailureCode =
  | Exclude<ErrorCode, 'BAD_REQUEST' | 'CONTENT_TOO_LARGE' | 'PAYLOAD_TOO_LARGE'>
  | 'INVALID_ARGUMENT';

/** What a failed call is answered with. */
export interface Failure {
  code: FailureCode;
  /** Names the argument at fault as the tool calls it. */
  message: string;
  /** What a model can do about it. */
  advice: string | undefined;
  /** What documents say that helps with it. */
  quotation: Quotation | undefined;
}

/** What services and the API call what all tools call otherwise. */
const ARGUMENT_NAMES: Record<string, string> = {
  html: 'content',
  org: 'organization',
  inviteId: 'invitation_id',
  'If-Match': 'if_match',
};

const ADVICE: Partial<Record<FailureCode, string>> = {
  INVALID_ARGUMENT: 'Correct the argument and call the tool again.',
  FORBIDDEN: 'Calling again will not help; somebody with more rights has to grant or do this.',
  NOT_FOUND:
    'It is missing, or you may not know of it; the two look alike. list_documents and ' +
    'list_organizations show what there is. Mind the kind: briefs and pages have separate names.',
  INTERNAL: 'If it happens again, tell the person you work for.',
  UNAVAILABLE: 'Wait a few seconds, then call the tool again.',
};

/** Where the message names an argument, it is that argument which has to be another. */
const OF_ARGUMENTS: ReadonlySet<FailureCode> = new Set(['NOT_FOUND', 'UNPROCESSABLE']);

/**
 * What callers of a tool see of whatever was thrown. Of a fault of ours they see nothing but that it
 * happened: no stack, query or path.
 */
export function failureOf(fault: unknown, tool: Pick<Tool, 'argumentNames'>): Failure {
  const error = toServiceError(fault);
  const code = codeOf(error.code);
  const isOfArgument = /^[\w-]+: /.test(error.message) && OF_ARGUMENTS.has(code);
  const advice = ADVICE[isOfArgument ? 'INVALID_ARGUMENT' : code];
  // Checks of arguments name them as the tool does already.
  const isInWords = error instanceof InvalidArguments;
  const message = isInWords ? error.message : inWordsOf(tool, error.message);
  return { code, message, advice, quotation: isInWords ? error.quotation : undefined };
}

/** Whether something was thrown that is a fault of ours, to be looked into. */
export function isFault(thrown: unknown): boolean {
  return !(thrown instanceof ServiceError) && !(thrown instanceof BackEndUnavailable);
}

function toServiceError(fault: unknown): ServiceError {
  if (fault instanceof ServiceError) return fault;
  if (fault instanceof BackEndUnavailable) return unavailable();
  return internalError();
}

function codeOf(code: ErrorCode): FailureCode {
  switch (code) {
    case 'BAD_REQUEST':
    case 'CONTENT_TOO_LARGE':
    case 'PAYLOAD_TOO_LARGE':
      return 'INVALID_ARGUMENT';
    default:
      return code;
  }
}

/** Messages begin with the field at fault and a colon; the field gets the tool's own name. */
function inWordsOf({ argumentNames }: Pick<Tool, 'argumentNames'>, message: string): string {
  const [, field = '', rest = ''] = /^([\w-]+)(: [\s\S]*)$/.exec(message) ?? [];
  const names = { ...ARGUMENT_NAMES, ...argumentNames };
  return Object.hasOwn(names, field) ? names[field] + rest : message;
}
