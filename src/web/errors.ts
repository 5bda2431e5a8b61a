import { TooManyAttempts } from '../account/attempts.ts';
import { ServiceError } from '../errors.ts';
import { preferredFormat } from './negotiation.ts';
import { signInPath } from './next-path.ts';
import type { Site } from './pages/assets.ts';
import { renderErrorPage } from './pages/error-page.tsx';

/** There is nothing at an address for this visitor, and perhaps for another. */
export class NothingForVisitor extends ServiceError {
  /** The path of the address. */
  readonly path: string;

  constructor(path: string) {
    super(
      'NOT_FOUND',
      'There is no public page at this address. If one was shared with you, sign in to see it.',
    );
    this.path = path;
  }
}

/** There is no public brief at an address, and perhaps one that is not. */
export class NothingPublic extends ServiceError {
  constructor() {
    super(
      'NOT_FOUND',
      'There is no public brief at this address. If one was shared with you, open it in the app.',
    );
  }
}

const ERROR_TITLES: Record<number, string> = {
  400: 'This request does not make sense',
  403: 'This is not allowed',
  404: 'Nothing here',
  422: 'That did not work',
  429: 'Too many attempts',
  503: 'Not ready',
};

/** People get a page, programs the error shape; neither is told more than the other. */
export function renderError(
  site: Site,
  error: ServiceError,
  asked: { accept: string | undefined; path: string },
) {
  const headers = { vary: 'Accept', 'cache-control': 'no-store' };
  if (preferredFormat(asked.accept) === 'markdown') {
    return {
      contentType: 'application/json; charset=utf-8',
      body: JSON.stringify(error.toBody()),
      headers,
    };
  }
  const { status } = error;
  const message = error.sentence;
  const title = ERROR_TITLES[status] ?? 'Something went wrong';
  return {
    contentType: 'text/html; charset=utf-8',
    body: renderErrorPage(site, { status, title, message, ...wayFrom(error, asked.path) }),
    headers,
  };
}

/** The way forward from an error, where it is not the start page. */
function wayFrom(error: ServiceError, path: string) {
  if (error instanceof NothingForVisitor) {
    return { way: { href: signInPath(error.path), label: 'Sign in' } };
  }
  if (error instanceof NothingPublic)
    return { way: { href: '/read', label: 'Open it in the app' } };
  // What else is counted is done by people who are signed in.
  const toSignIn = error instanceof TooManyAttempts && /^\/sign-(in|up)(\/|$)/.test(path);
  return toSignIn ? { way: { href: '/sign-in', label: 'Go to the sign-in page' } } : {};
}
