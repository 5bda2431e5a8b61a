/** The names of error responses in the OpenAPI document, by status. */
const ERROR_RESPONSES: Record<string, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'TooLarge',
  422: 'Unprocessable',
  429: 'RateLimited',
  431: 'HeadersTooLarge',
  500: 'Internal',
  503: 'Unavailable',
};

type Paths = Record<string, Record<string, { responses?: Record<string, unknown> }>>;

/**
 * Moves repeated parts of an OpenAPI document to its `components`: schemas with a title, and error
 * responses. Generated clients then have one type for each. Routes keep whole schemas, which
 * validators and serializers need.
 *
 * @throws Error if two different components have the same name
 */
export function shareComponents<
  Document extends { paths?: object; components?: object; webhooks?: object },
>(document: Document): Document {
  const schemas = new Components('schemas');
  const responses = new Components('responses');
  function share(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(share);
    if (typeof node !== 'object' || node === null) return node;
    const shared = Object.fromEntries(
      Object.entries(node).map(([key, part]) => [key, share(part)]),
    );
    const { title } = node as { title?: unknown };
    return typeof title === 'string' ? schemas.add(title, shared) : shared;
  }
  const paths = share(document.paths) as Paths;
  const webhooks = share(document.webhooks);
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      const name = ERROR_RESPONSES[status];
      if (name && operation.responses) operation.responses[status] = responses.add(name, response);
    }
  }
  const components = {
    ...document.components,
    schemas: schemas.sorted(),
    responses: responses.sorted(),
  };
  return { ...document, paths, webhooks, components };
}

/** Collects the components of one section, without duplicates. */
class Components {
  readonly #section: string;
  readonly #byName = new Map<string, unknown>();

  constructor(section: string) {
    this.#section = section;
  }

  /** @returns a reference to it */
  add(name: string, component: unknown): { $ref: string } {
    const known = this.#byName.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(component)) {
      throw new Error(`The API has two different ${this.#section} named ${name}.`);
    }
    this.#byName.set(name, component);
    return { $ref: `#/components/${this.#section}/${name}` };
  }

  sorted(): Record<string, unknown> {
    return Object.fromEntries([...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
