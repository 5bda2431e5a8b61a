import { type Method, type OpenApi, type Operation, type Parameter, resolve } from './openapi.ts';
import { exampleOf, exampleOfMedia } from './openapi-examples.ts';

/** Values for path parameters that have no example in the OpenAPI document. */
const STAND_INS: Record<string, string> = {
  owner: 'ada',
  username: 'grace',
  org: 'engines',
  name: 'release-notes',
  inviteId: '0195b2c4-7a10-7c3e-9f21-4d5e6f708192',
  id: '0195b2c4-7a10-7c3e-9f21-4d5e6f708192',
};

/** Returns a curl command for a POSIX shell that has the token in `$TOKEN`. */
export function curlFor(
  document: OpenApi,
  baseUrl: string,
  path: string,
  method: Method,
  operation: Operation,
  parameters: Parameter[],
): string {
  // Under /users/, `username` is the token's own user; elsewhere, an invited user.
  const standIns = path.startsWith('/users/') ? { ...STAND_INS, username: 'ada' } : STAND_INS;
  const address = path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    standIn(document, name, parameters, standIns),
  );
  const body = operation.requestBody && resolve(document, operation.requestBody);
  const lines = [
    method === 'get'
      ? `curl ${baseUrl}${address}`
      : `curl -X ${method.toUpperCase()} ${baseUrl}${address}`,
  ];
  const open = operation.security?.length === 0;
  if (!open) lines.push('  -H "Authorization: Bearer $TOKEN"');
  const [type, media] = Object.entries(body?.content ?? {})[0] ?? [];
  if (type === 'multipart/form-data') {
    lines.push('  -F file=@note.txt');
  } else if (type && media) {
    const example = exampleOfMedia(document, media, true);
    if (type === 'application/x-www-form-urlencoded') {
      for (const [name, value] of Object.entries((example ?? {}) as object)) {
        lines.push(`  -d ${quote(`${name}=${value}`)}`);
      }
    } else {
      lines.push(`  -H "Content-Type: ${type}"`, `  -d ${quote(JSON.stringify(example ?? {}))}`);
    }
  }
  return lines.join(' \\\n');
}

function standIn(
  document: OpenApi,
  name: string,
  parameters: Parameter[],
  standIns: Record<string, string>,
): string {
  const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
  const given =
    parameter?.example ?? parameter?.schema?.example ?? parameter?.schema?.examples?.[0];
  const value = given ?? standIns[name] ?? exampleOf(document, parameter?.schema ?? {});
  return encodeURIComponent(String(value));
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
