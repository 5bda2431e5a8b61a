import type { ServiceError } from '../../base/errors.ts';
import type { ErrorRenderer } from '../../surfaces/http/surface.ts';
import { renderErrorPage } from './oauth-error-page.tsx';

/** OAuth's names of our errors (RFC 6749, sections 4.1.2.1 and 5.2). */
const NAMES: Partial<Record<ServiceError['code'], string>> = {
  INTERNAL: 'server_error',
  RATE_LIMITED: 'temporarily_unavailable',
  UNAVAILABLE: 'temporarily_unavailable',
};

/** Renders a page for browsers and OAuth's JSON for programs. A 404 has the API's format. */
export const renderOAuthError: ErrorRenderer = (error, { accept }) => {
  const name = NAMES[error.code] ?? 'invalid_request';
  if (/\btext\/html\b/.test(accept ?? '')) {
    const page = renderErrorPage({ error: name, description: error.message });
    return { contentType: 'text/html; charset=utf-8', body: page.html, headers: page.headers };
  }
  const body =
    error.code === 'NOT_FOUND' ? error.toBody() : { error: name, error_description: error.message };
  return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(body) };
};
