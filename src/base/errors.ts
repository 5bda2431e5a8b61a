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
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  CONTENT_TOO_LARGE: 413,
  UNPROCESSABLE: 422,
  QUOTA_EXCEEDED: 422,
  RATE_LIMITED: 429,
  TAKEN_DOWN: 451,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

/** Seconds to wait before a retry, after a failure that usually passes soon. */
export const RETRY_AFTER_S = 2;

export type ErrorCode = keyof typeof STATUS_BY_CODE;

/** The body of every error response (specification, part "Errors"). */
export interface ErrorBody {
  error: { code: ErrorCode; message: string };
  /** What a program needs to resolve a conflict. */
  data?: object;
}

/**
 * A failure that is shown to the caller. Its message is for people: it names the wrong field, and
 * never contains a stack, a query, a path of this machine or a secret.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  /** Seconds to wait before a retry, for `Retry-After`. Always present with `UNAVAILABLE`. */
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

  /** The message for a screen, without the field's name. */
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
 * One field of the request is wrong. The message is `field: problem`. A surface with another name
 * for the field builds its own message from both.
 */
export class FieldError extends ServiceError {
  /** The field as the REST API names it; for a header, the header's name. */
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

/** Returns the error to show for a bug. It says nothing about the cause. */
export function internalError(): ServiceError {
  return new ServiceError('INTERNAL', 'Something went wrong on our side. Try again.');
}

/** Returns the error to show for a {@link BackEndUnavailable}. */
export function unavailable(fault: BackEndUnavailable): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    fault instanceof DiskFull
      ? 'The disk of the service is full, so nothing can be saved. Reading still works.'
      : 'The service is temporarily unavailable. Try again soon.',
  );
}

/**
 * Returns the error for something that doesn't exist or that the caller can't see. The message is
 * the same for both, so it reveals nothing.
 */
export function nothingAtAddress(): ServiceError {
  return new ServiceError('NOT_FOUND', 'There is nothing at this address.');
}

/** Returns the result, or `undefined` if it doesn't exist or the caller can't see it. */
export async function undefinedIfNotFound<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/**
 * A back end (the database, the blob store) does not answer, or too much work is queued. The
 * request itself is fine.
 */
export class BackEndUnavailable extends Error {
  override readonly name: string = 'BackEndUnavailable';
}

/** The disk is full, so nothing can be written until an operator frees space. */
export class DiskFull extends BackEndUnavailable {
  override readonly name = 'DiskFull';
}

/** A task for a thread exceeded its time limit. If it was running, its thread was ended. */
export class TookTooLong extends BackEndUnavailable {
  override readonly name = 'TookTooLong';
}

export class InvalidFields extends ServiceError {
  readonly errors: readonly FieldError[];

  constructor(errors: readonly FieldError[]) {
    super('UNPROCESSABLE', errors.map(({ message }) => message).join(' '));
    this.errors = errors;
  }
}
