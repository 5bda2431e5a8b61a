import { strict as assert } from 'node:assert';
import { Ajv, type ValidateFunction } from 'ajv';
import type { Answer } from './harness.ts';

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, ResponseObject> }>>;
}

interface ResponseObject {
  headers?: object;
  content?: Record<string, { schema: object }>;
}

/** Returns an OpenAPI document with its local references resolved. */
export function dereference<Document>(document: Document): Document {
  function follow(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(follow);
    if (typeof node !== 'object' || node === null) return node;
    if ('$ref' in node) {
      const path = String(node.$ref).replace('#/', '').split('/');
      const target = path.reduce<unknown>(
        (at, key) => (at as Record<string, unknown>)[key],
        document,
      );
      assert.ok(target, `${node.$ref} refers to nothing`);
      return follow(target);
    }
    return Object.fromEntries(Object.entries(node).map(([key, part]) => [key, follow(part)]));
  }
  return follow(document) as Document;
}

/**
 * Creates a check that a response matches the OpenAPI document: a documented operation and status,
 * a body that its schema describes, without other fields, and the headers about what was written.
 */
export function openApiChecker(
  document: unknown,
): (method: string, path: string, answer: Answer) => void {
  const { paths }: Document = dereference(document as Document);
  const validators = new Map<object, ValidateFunction>();
  const templates = Object.keys(paths)
    .map((template) => ({
      template,
      pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
    }))
    // The more literal path wins: `/user/briefs` before `/{owner}/…`.
    .sort((a, b) => parameters(a.template) - parameters(b.template));

  return (method, path, answer) => {
    const bare = path.replace(/[?#].*$/, '');
    const template = templates.find(({ pattern }) => pattern.test(bare))?.template;
    const operation = template && paths[template]?.[method.toLowerCase()];
    if (!operation) {
      // Not an operation: only responses that any URL may have.
      if (method !== 'OPTIONS' && method !== 'HEAD') {
        assert.ok(
          [400, 401, 404, 405, 413, 429].includes(answer.status),
          `${method} ${path}: ${answer.status}`,
        );
      }
      return;
    }
    const name = `${method} ${template} → ${answer.status}`;
    const response = operation.responses[answer.status];
    assert.ok(response, `${name} is not documented: ${answer.text}`);
    if (answer.status < 300) {
      for (const header of ['Location', 'X-Revision', 'X-Merged', 'X-Search-Pending']) {
        const isDocumented: boolean = header in (response.headers ?? {});
        assert.equal(answer.headers.has(header), isDocumented, `${name}: ${header}`);
      }
    }
    const schema = response.content?.['application/json']?.schema;
    if (!schema) {
      assert.equal(answer.text, '', `${name} is documented without a body`);
      return;
    }
    let validate = validators.get(schema);
    if (!validate) {
      validate = compile(schema);
      validators.set(schema, validate);
    }
    assert.ok(
      validate(answer.json),
      `${name}: ${ajv.errorsText(validate.errors)} in ${answer.text}`,
    );
  };
}

const ajv = new Ajv({ strict: false, validateFormats: false });
/** By the schema's JSON, because all services of a process have the same schemas. */
const compiled = new Map<string, ValidateFunction>();

function compile(schema: object): ValidateFunction {
  const json = JSON.stringify(schema);
  let validate = compiled.get(json);
  if (!validate) {
    validate = ajv.compile(closed(schema));
    compiled.set(json, validate);
  }
  return validate;
}

function parameters(template: string): number {
  return template.split('{').length;
}

/** Closes every object of a schema, so that an undocumented field is an error. */
function closed(schema: unknown): object {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema as object;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  );
  return 'properties' in copy ? { ...copy, additionalProperties: false } : copy;
}
