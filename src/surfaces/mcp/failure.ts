import {
  BackEndUnavailable,
  type ErrorCode,
  FieldError,
  internalError,
  ServiceError,
  unavailable,
} from '../../base/errors.ts';
import { ARGUMENT_NAMES } from '../../base/schema/argument-names.ts';
import { TextOfOthers } from '../../core/document/create-or-replace-service.ts';
import { MergeRefused } from '../../core/document/merge-service.ts';
import { InsufficientScope } from '../../core/identity/scope.ts';
import { InvitationPending } from '../../core/review/review-authorize.ts';
import { InvalidArguments } from './arguments.ts';
import { conflictInWords } from './conflict.ts';
import type { Quotation } from './quote.ts';
import type { Tool } from './tool.ts';

/** The error codes of tools: those of the API, with one for all errors about arguments. */
type FailureCode =
  | Exclude<ErrorCode, 'MOVED' | 'BAD_REQUEST' | 'CONTENT_TOO_LARGE' | 'PAYLOAD_TOO_LARGE'>
  | 'INVALID_ARGUMENT';

/** An error with advice of its own on what to do next, instead of that for its code. */
export class AdvisedError extends ServiceError {
  readonly advice: string;

  constructor(code: ErrorCode, message: string, advice: string) {
    super(code, message);
    this.advice = advice;
  }
}

/** The response to a failed call. */
export interface Failure {
  code: FailureCode;
  /** Names the wrong argument as the tool calls it. */
  message: string;
  /** What a model can do about it. */
  advice: string | undefined;
  /** A quote from documents that helps to correct the call. */
  quotation: Quotation | undefined;
}

type ToolNames = Pick<Tool, 'argumentNames'>;

const ADVICE: Partial<Record<FailureCode, string>> = {
  INVALID_ARGUMENT: 'Correct the argument and call the tool again.',
  FORBIDDEN: 'Calling again won’t help. Someone with more permissions has to do this or grant it.',
  NOT_FOUND:
    'It doesn’t exist, or you can’t see it. Find it with search_documents or get_organization. ' +
    'Check the kind: briefs and pages have separate names.',
  TAKEN_DOWN:
    'Calling again won’t help. Tell the person you work for the reason: they can ask an ' +
    'administrator of the instance, or delete the document.',
  QUOTA_EXCEEDED:
    'Calling again won’t help. Tell the person you work for: someone has to delete something, or ask ' +
    'an administrator for more.',
  INTERNAL: 'If it happens again, tell the person you work for.',
  UNAVAILABLE: 'Wait a few seconds, then call the tool again.',
};

const READ_FIRST =
  'Read it (read_document; with changes_since if you know an older revision), then call again ' +
  'with the revision that your text is based on as base_revision. Later changes by others are ' +
  'merged in.';

const ACCEPT_FIRST =
  'Tell the user, and call again when list_access lists the person as a collaborator.';

const ASK_FOR_SCOPE =
  'Calling again won’t help. The user chose what this connection can do, and can connect again with ' +
  'more. whoami shows what it can do.';

/** For these codes, a message that names an argument means: use another value. */
const OF_ARGUMENTS: ReadonlySet<FailureCode> = new Set(['NOT_FOUND', 'UNPROCESSABLE']);

/**
 * Returns the part of an error that callers of a tool see. For a bug, that includes no stack, query
 * or path.
 */
export function failureOf(fault: unknown, tool: ToolNames, args: unknown): Failure {
  const error = toServiceError(fault);
  const code = codeOf(error.code);
  if (error instanceof MergeRefused) return { code, ...conflictInWords(error) };
  const advice = adviceOn(error, code);
  const message =
    error instanceof FieldError
      ? `${argumentOf(tool, args, error.field)}: ${error.problem}`
      : error.message;
  const quotation = error instanceof InvalidArguments ? error.quotation : undefined;
  return { code, message, advice, quotation };
}

function adviceOn(error: ServiceError, code: FailureCode): string | undefined {
  if (error instanceof AdvisedError) return error.advice;
  if (error instanceof TextOfOthers) return READ_FIRST;
  if (error instanceof InvitationPending) return ACCEPT_FIRST;
  if (error instanceof InsufficientScope) return ASK_FOR_SCOPE;
  const isOfArgument = error instanceof FieldError && OF_ARGUMENTS.has(code);
  return ADVICE[isOfArgument ? 'INVALID_ARGUMENT' : code];
}

/** Tells whether an error is a bug or a failure of ours, which must be logged. */
export function isFault(thrown: unknown): boolean {
  return !(thrown instanceof ServiceError) && !(thrown instanceof BackEndUnavailable);
}

function toServiceError(fault: unknown): ServiceError {
  if (fault instanceof ServiceError) return fault;
  if (fault instanceof BackEndUnavailable) return unavailable(fault);
  return internalError();
}

function codeOf(code: ErrorCode): FailureCode {
  switch (code) {
    case 'BAD_REQUEST':
    case 'CONTENT_TOO_LARGE':
    case 'PAYLOAD_TOO_LARGE':
      return 'INVALID_ARGUMENT';
    // The document was renamed or moved again while the call was retried.
    case 'MOVED':
      return 'NOT_FOUND';
    default:
      return code;
  }
}

/** Returns the tool's argument for a field of the services. */
function argumentOf({ argumentNames }: ToolNames, args: unknown, field: string): string {
  const name = argumentNames[field] ?? ARGUMENT_NAMES[field] ?? field;
  return typeof name === 'string' ? name : (name.find((one) => isGiven(args, one)) ?? field);
}

function isGiven(args: unknown, name: string): boolean {
  return ((args ?? {}) as Record<string, unknown>)[name] != null;
}
