import {
  BackEndUnavailable,
  FieldError,
  internalError,
  nothingAtAddress,
  ServiceError,
  unavailable,
} from '../../base/errors.ts';

/** Converts anything thrown to the error to show to the caller. */
export function toServiceError(fault: unknown): ServiceError {
  if (fault instanceof ServiceError) return fault;
  if (fault instanceof BackEndUnavailable) return unavailable();
  const { statusCode, code, message } = fault as {
    statusCode?: number;
    code?: string;
    message?: string;
  };
  if (statusCode === 413) {
    return new ServiceError('PAYLOAD_TOO_LARGE', 'The request body is over the size limit.');
  }
  if (statusCode === 414) return new ServiceError('BAD_REQUEST', 'The address is too long.');
  if (statusCode === 415) {
    return new FieldError('BAD_REQUEST', 'Content-Type', 'this type is not supported here.');
  }
  if (statusCode === 400 && code === 'ECONNRESET') {
    return new ServiceError('BAD_REQUEST', 'The request ended early.');
  }
  // A path of static files that may not be served.
  if (statusCode === 403) return nothingAtAddress();
  // The framework's own errors about a request are safe to show.
  if (statusCode && statusCode >= 400 && statusCode < 500 && code?.startsWith('FST_')) {
    return new ServiceError('BAD_REQUEST', message ?? 'The request is invalid.');
  }
  return internalError();
}
