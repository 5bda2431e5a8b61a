import { ServiceError } from '../../base/errors.ts';
import { TooManyAttempts } from '../../core/identity/attempts.ts';
import { preferredFormat } from './negotiation.ts';
import { signInPath } from './next-path.ts';
import type { Site } from './pages/assets.ts';
import { renderErrorPage } from './pages/error-page.tsx';

/** Nothing at this address is visible to the visitor. Signing in may help. */
export class NothingForVisitor extends ServiceError {
  readonly path: string;

  constructor(path: string) {
    super('NOT_FOUND', 'It’s private or doesn’t exist. Sign in if it was shared with you.');
    this.path = path;
  }
}

/** There is no public brief at an address. There may be a private one. */
export class NothingPublic extends ServiceError {
  constructor() {
    super(
      'NOT_FOUND',
      'It’s private or doesn’t exist. Open it in the app if it was shared with you.',
    );
  }
}

/** Returns the heading of an error's page. */
export function errorTitle(status: number): string {
  return ERROR_TITLES[status] ?? 'Something went wrong';
}

const ERROR_TITLES: Record<number, string> = {
  308: 'Renamed',
  400: 'Invalid request',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Not possible here',
  422: 'That didn’t work',
  451: 'Taken down',
  429: 'Too many attempts',
  503: 'Temporarily unavailable',
};

/** Renders an error as a page for people and as JSON for programs, with the same information. */
export function renderError(
  site: Site,
  error: ServiceError,
  asked: { accept: string | undefined; path: string },
) {
  const headers = { vary: 'Accept', 'cache-control': 'no-store' };
  if (preferredFormat(asked.accept) === 'markdown') {
    const { error: told, ...rest } = error.toBody();
    const way = [404, 405].includes(error.status) ? ` ${wayForPrograms(site)}` : '';
    const body = JSON.stringify({ error: { ...told, message: told.message + way }, ...rest });
    return { contentType: 'application/json; charset=utf-8', body, headers };
  }
  const { status } = error;
  const message = error.sentence;
  const title = errorTitle(status);
  return {
    contentType: 'text/html; charset=utf-8',
    body: renderErrorPage(site, { status, title, message, ...wayFrom(error, asked.path) }),
    headers,
  };
}

/** The same for every address, so it tells nothing about what there is. */
function wayForPrograms({ webUrl, baseUrl }: Site): string {
  return (
    `With a token, programs read and write at ${baseUrl}/briefs/{owner}/{name} or ${baseUrl}/mcp; ` +
    `see ${webUrl}/llms.txt.`
  );
}

/** Returns the link to follow from an error, unless it is the link to Home. */
function wayFrom(error: ServiceError, path: string) {
  if (error instanceof NothingForVisitor) {
    return { way: { href: signInPath(error.path), label: 'Sign in' } };
  }
  if (error instanceof NothingPublic)
    return { way: { href: '/read', label: 'Open it in the app' } };
  // Elsewhere, only signed-in visitors exceed limits.
  const toSignIn = error instanceof TooManyAttempts && /^\/sign-(in|up)(\/|$)/.test(path);
  return toSignIn ? { way: { href: '/sign-in', label: 'Go to sign-in' } } : {};
}
