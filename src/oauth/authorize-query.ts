import { ALL_SCOPES } from '../account/scope.ts';

/** What of an authorization request has a meaning here; the rest is ignored (OAuth 2.1, 4.1.1). */
const KNOWN = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
  'response_mode',
  'prompt',
  // Not supported, and too weighty to be ignored.
  'request',
  'request_uri',
];

/**
 * Brings an authorization request's query into the form that is judged: unknown parameters and
 * scopes left out, and all scopes there are where none was asked for, since people choose among
 * them anyway. A request for nothing but unknown scopes stays as it is, to be refused. What was sent
 * twice stays twice.
 */
export function tidyAuthorizeQuery(query: string): string {
  const given = new URLSearchParams(query);
  const tidy = new URLSearchParams([...given].filter(([name]) => KNOWN.includes(name)));
  const scopes = given.getAll('scope');
  if (scopes.length <= 1) tidy.set('scope', tidyScope(scopes[0] ?? ''));
  const modes = given.getAll('response_mode');
  // Whatever is not this name gets the error that it deserves, by way of the query.
  if (modes.length === 1 && modes[0] !== 'query') tidy.set('response_mode', 'unsupported');
  return tidy.toString();
}

function tidyScope(text: string): string {
  const asked = text.split(' ').filter((scope) => scope !== '');
  if (asked.length === 0) return ALL_SCOPES.join(' ');
  const known = ALL_SCOPES.filter((scope) => asked.includes(scope));
  return known.length > 0 ? known.join(' ') : text;
}
