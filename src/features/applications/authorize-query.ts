import { ALL_SCOPES } from '../../core/identity/scope.ts';

/** The parameters that we use; others are ignored (OAuth 2.1, 4.1.1). */
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
  // Unsupported, but too important to ignore: the library refuses them.
  'request',
  'request_uri',
];

/**
 * Normalises an authorization request's query: drops unknown parameters and scopes. If no scope is
 * requested, requests all, because users choose among them anyway. A request with only unknown
 * scopes, or with repeated parameters, is left for the library to refuse.
 */
export function tidyAuthorizeQuery(query: string): string {
  const given = new URLSearchParams(query);
  const tidy = new URLSearchParams([...given].filter(([name]) => KNOWN.includes(name)));
  const scopes = given.getAll('scope');
  if (scopes.length <= 1) tidy.set('scope', tidyScope(scopes[0] ?? ''));
  const modes = given.getAll('response_mode');
  // Makes the library report any other mode as unsupported, in the query.
  if (modes.length === 1 && modes[0] !== 'query') tidy.set('response_mode', 'unsupported');
  return tidy.toString();
}

function tidyScope(text: string): string {
  const asked = text.split(' ').filter((scope) => scope !== '');
  if (asked.length === 0) return ALL_SCOPES.join(' ');
  const known = ALL_SCOPES.filter((scope) => asked.includes(scope));
  return known.length > 0 ? known.join(' ') : text;
}
