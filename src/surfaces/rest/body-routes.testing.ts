import { packAll } from '../../../test/document/pack-all.ts';
import { type Client, type Service, startService } from '../../../test/harness.ts';
import { UNSENT_MAIL } from '../../../test/mail/post-office.ts';
import { dereference } from '../../../test/openapi-checker.ts';
import { goodRequest, operationsOf } from '../../../test/security/fuzz/operations.ts';
import { makeStage } from '../../../test/security/fuzz/stage.ts';

/** The schema of a body's field. */
export interface Field {
  type: string | string[];
  format?: string;
  enum?: string[];
  examples?: unknown[];
  minimum?: number;
}

/** A route with a body, and a caller for whom a valid body works. */
export interface BodyRoute {
  method: 'POST' | 'PATCH' | 'PUT';
  /** The path as in the OpenAPI document. */
  template: string;
  path: string;
  caller: Client;
  fields: Record<string, Field>;
  required: string[];
  /** A valid body. */
  valid: Record<string, unknown>;
  /** Whether the body is optional. */
  emptyAllowed: boolean;
}

/** A service with a target for every route that takes a body. */
export interface Furnished {
  service: Service;
  /** Those of the OpenAPI document. */
  routes: BodyRoute[];
  /** Owns the targets. */
  ada: Client;
  /** A user without access to anything. */
  stranger: Client;
  /** An administrator of the instance, with all scopes. */
  steward: Client;
}

export async function startFurnished(): Promise<Furnished> {
  const service = await startService(UNSENT_MAIL);
  const stage = await makeStage(service);
  // Otherwise texts could be packed while nothing should be written.
  await packAll(service.app.context);
  const { ada, stranger, steward } = stage.clients;
  const document = dereference(await (await fetch(`${service.baseUrl}/openapi.json`)).json());
  const routes = operationsOf(document).flatMap((operation): BodyRoute[] => {
    if (!operation.body) return [];
    const { properties, required = [], minProperties } = operation.body;
    const { caller, path, body } = goodRequest(stage, operation, () => 'made');
    return [
      {
        method: operation.method as BodyRoute['method'],
        template: operation.template,
        path,
        caller: stage.clients[caller],
        fields: properties as BodyRoute['fields'],
        required,
        valid: body as BodyRoute['valid'],
        emptyAllowed: required.length === 0 && !minProperties,
      },
    ];
  });
  return { service, routes, ada, stranger, steward };
}

/** A request with these bytes as its body and these headers. */
export function withBytes(
  { method, path, caller }: Pick<BodyRoute, 'method' | 'path' | 'caller'>,
  bytes: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) {
  // As bytes, because a text would get its own content type.
  return caller.request(path, { method, headers, body: Buffer.from(bytes as Uint8Array) });
}
