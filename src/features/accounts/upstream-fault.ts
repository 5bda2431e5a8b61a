/** What went wrong at the provider, for the operator. */
export interface UpstreamFault {
  /** The messages of the error and its causes, from the outside in. */
  reason: string;
  /** The code of OAuth, such as `invalid_client`. */
  problem: string | undefined;
  /** The status of the provider's response. */
  status: number | undefined;
}

/** A code of OAuth; a description beside it could contain data of the person. */
const CODE = /^[\w-]{1,64}$/;

/** At most this many causes are named. */
const DEPTH = 5;

/**
 * Describes an error of signing in at the provider. It holds no data of the person: of responses, only
 * the status and the code, and of claims the name.
 */
export async function describeUpstreamFault(error: unknown): Promise<UpstreamFault> {
  const reasons: string[] = [];
  let problem: string | undefined;
  let response: Response | undefined;
  for (let at = error, depth = 0; at && depth < DEPTH; depth += 1) {
    if (at instanceof Response) response ??= at;
    const { message, code, cause } = at as { message?: unknown; code?: unknown; cause?: unknown };
    const own = at as Record<string, unknown>;
    problem ??= codeOf(own.error);
    if (own.response instanceof Response) response ??= own.response;
    // What can't be parsed would be quoted, and may hold a token.
    if (at instanceof SyntaxError) reasons.push('not JSON');
    else if (typeof message === 'string') reasons.push(describe(message, code));
    else if (own.attribute === 'issuer') reasons.push(`the issuer isn’t ${own.expected}`);
    else if (typeof own.claim === 'string') reasons.push(own.claim);
    at = cause;
  }
  problem ??= await codeIn(response);
  return {
    reason: [...new Set(reasons)].join(': ') || String(error),
    problem,
    status: response?.status,
  };
}

/** A failed connection has a code, such as ECONNREFUSED, which can be all that it says. */
function describe(message: string, code: unknown): string {
  const named = typeof code === 'string' && !code.startsWith('OAUTH_') && !message.includes(code);
  return [message, named && code].filter(Boolean).join(' ');
}

function codeOf(value: unknown): string | undefined {
  return typeof value === 'string' && CODE.test(value) ? value : undefined;
}

/** Returns the code in the body of a response that nobody has read. */
async function codeIn(response: Response | undefined): Promise<string | undefined> {
  if (!response || response.bodyUsed) return undefined;
  const body: unknown = await response.json().catch(() => undefined);
  return codeOf((body as { error?: unknown } | null | undefined)?.error);
}
