import { type ErrorCode, ServiceError } from '../../base/errors.ts';

/** An error with advice of its own on what to do next, instead of that for its code. */
export class AdvisedError extends ServiceError {
  readonly advice: string;

  constructor(code: ErrorCode, message: string, advice: string) {
    super(code, message);
    this.advice = advice;
  }
}
