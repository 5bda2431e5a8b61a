/**
 * Every way a request can fail: the code that callers see, and its HTTP status
 * (specification, part "Errors"; `PRECONDITION_FAILED` is RFC 9110, section 15.5.13; `MOVED` is
 * section 15.4.9).
 */
const STATUS_BY_CODE = {
  MOVED: 308,
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  CONTENT_TOO_LARGE: 413,
  UNPROCESSABLE: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

/** When to try again after a failure that usually passes soon. */
export const RETRY_AFTER_S = 2;

export type ErrorCode = keyof typeof STATUS_BY_CODE;

/** The body of every error response (specification, part "Errors"). */
export interface ErrorBody {
  error: { code: ErrorCode; message: string };
  /** What a program needs to resolve a conflict. */
  data?: object;
}

/**
 * A failure that the caller may know of. The message is written for the person who reads it: it
 * names the field at fault, and never a stack, a query, a path of this machine or a secret.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  /** When to try again, for `Retry-After`: at least 1. Always present with `UNAVAILABLE`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, retryAfterSeconds?: number) {
    super(message);
    this.code = code;
    this.retryAfterSeconds =
      retryAfterSeconds ?? (code === 'UNAVAILABLE' ? RETRY_AFTER_S : undefined);
  }

  get status(): number {
    return STATUS_BY_CODE[this.code];
  }

  /** The message for people, who see no names of fields. */
  get sentence(): string {
    return this.message;
  }

  toBody(): ErrorBody {
    return { error: { code: this.code, message: this.message } };
  }
}

/** Two writers changed the same lines. */
export class ConflictError extends ServiceError {
  /** What was written, by whom, and where the texts contradict each other. */
  readonly data: object;

  constructor(message: string, data: object) {
    super('CONFLICT', message);
    this.data = data;
  }

  override toBody(): ErrorBody {
    return { ...super.toBody(), data: this.data };
  }
}

/**
 * One field of the request is at fault. The message is `field: problem`, so the two cannot differ;
 * a surface that calls the field something else builds its own message from the parts.
 */
export class FieldError extends ServiceError {
  /** The field as the REST API names it; of a header, the header's name. */
  readonly field: string;
  /** What is wrong and what to do: whole sentences that continue after the colon. */
  readonly problem: string;

  constructor(code: ErrorCode, field: string, problem: string) {
    super(code, `${field}: ${problem}`);
    this.field = field;
    this.problem = problem;
  }

  override get sentence(): string {
    return this.problem.charAt(0).toUpperCase() + this.problem.slice(1);
  }
}

/** What callers see of a fault that is ours: nothing but that it happened. */
export function internalError(): ServiceError {
  return new ServiceError('INTERNAL', 'Something went wrong on our side. Try again.');
}

/** What callers see of a {@link BackEndUnavailable}. */
export function unavailable(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The service is temporarily unavailable. Try again soon.');
}

/** For what doesn't exist or the caller can't see: the same words everywhere, so that no one learns which. */
export function nothingAtAddress(): ServiceError {
  return new ServiceError('NOT_FOUND', 'There is nothing at this address.');
}

/** Returns what is asked for, or `undefined` when it is missing or not for the caller to know of. */
export async function undefinedIfNotFound<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/**
 * A back end (the database, the blob store) does not answer, or there is too much work for everyone.
 * Nothing is wrong with the request.
 */
export class BackEndUnavailable extends Error {
  override readonly name: string = 'BackEndUnavailable';
}

/** Work on a thread took longer than it may, and the thread was ended. */
export class TookTooLong extends BackEndUnavailable {
  override readonly name = 'TookTooLong';
}
