import type { Client, Service } from '../harness.ts';
import { operationsOf } from './fuzz/operations.ts';

/** What to ask for, and what to look for. */
interface Search {
  /** The values of parameters in paths, by name; `document` has those of `{owner}/{name}`. */
  values: Record<string, string[]>;
  /** The queries of some routes. */
  queries: Record<string, string[]>;
  word: string;
  /** Leaves out of an answer what it repeats of the request. */
  without?: RegExp;
}

/**
 * Sends every GET of the API but those of administrators.
 *
 * @returns the routes with an answer in which the word stands, sorted
 */
export async function routesThatTell(
  service: Service,
  client: Client,
  { values, queries, word, without }: Search,
): Promise<string[]> {
  const openapi = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
  const found = new Set<string>();
  for (const { method, template, queryParameters } of operationsOf(openapi)) {
    if (method !== 'GET' || template.startsWith('/admin/')) continue;
    const byLabel = queryParameters.some(({ name }) => name === 'label') ? [`?label=${word}`] : [];
    const later = template.endsWith('/events') ? ['?after=0'] : [];
    for (const address of addressesOf(template, values)) {
      for (const query of [...(queries[template] ?? ['', ...byLabel]), ...later]) {
        const { text } = await client.get(`${address}${query}`);
        const answer = without ? text.replaceAll(without, '') : text;
        if (answer.toLowerCase().includes(word)) found.add(template);
      }
    }
  }
  return [...found].sort();
}

function* addressesOf(template: string, values: Search['values']): Generator<string> {
  if (template.includes('{owner}/{name}')) {
    for (const document of values.document ?? []) {
      yield* addressesOf(template.replace('{owner}/{name}', document), values);
    }
    return;
  }
  const name = /\{(\w+)\}/.exec(template)?.[1];
  if (name === undefined) return yield template;
  for (const value of values[name] ?? []) {
    yield* addressesOf(template.replaceAll(`{${name}}`, encodeURIComponent(value)), values);
  }
}
