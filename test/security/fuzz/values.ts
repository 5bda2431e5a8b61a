import fc from 'fast-check';

/** The part of JSON Schema that the API and tools use. */
export interface Schema {
  type?: string;
  enum?: unknown[];
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  minProperties?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
}

/** Texts that have broken other software. All can be encoded in UTF-8. */
export const HOSTILE_TEXTS = [
  '',
  ' ',
  '.',
  '..',
  '-',
  '\0',
  '\n',
  '\r\nX-Header: x',
  '\u007f',
  '\ufeff',
  '\u202e',
  '\ufffd',
  '../../etc/passwd',
  '..\\..',
  '%2e%2e',
  '%00',
  '%',
  '%zz',
  '/',
  '//',
  'a/b',
  '?',
  '#',
  ';',
  '&=',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'true',
  '0',
  '-1',
  '1e309',
  '9'.repeat(400),
  '0x10',
  "'; drop table document; --",
  '" or ""="',
  '$1',
  '<script>alert(1)</script>',
  '{{7*7}}',
  `\${jndi:ldap://x}`,
  '*',
  '%s%n',
  '`id`',
  '$(id)',
  'İ',
  'ß',
  '\u212a',
  'e\u0301',
  '\u{1f600}',
  '\u200d',
  '日本語',
  'א',
  'a'.repeat(100),
  'a'.repeat(101),
  'é'.repeat(101),
  'a'.repeat(1_600),
  'notes.md',
  'NOTES',
  'no  tes',
  'settings',
  'api',
  'pages',
];

const hostileText = fc.oneof(
  { arbitrary: fc.constantFrom(...HOSTILE_TEXTS), weight: 3 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 40 }), weight: 2 },
  // A lone surrogate, which JSON can express and UTF-8 can't.
  { arbitrary: fc.constantFrom('\ud800', 'a\udfff', '\udc00\ud800'), weight: 1 },
);

const plainText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abcxyz019'), minLength: 1, maxLength: 12 }),
  // Resembles a name.
  fc.string({
    unit: fc.constantFrom(...'aZ0-_. İßK\u0301\u200d\u2028😀é'),
    minLength: 1,
    maxLength: 110,
  }),
  fc.lorem({ maxCount: 12 }),
);

/**
 * A random value of a schema. Texts are sometimes hostile; texts with a known name are often a
 * `known` value of that name.
 */
export function valid(
  schema: Schema,
  known: Record<string, readonly string[]> = {},
  name = '',
): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(
        fc.constant(schema.minimum ?? 0),
        fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000 }),
      );
    case 'array':
      return fc.array(valid(schema.items ?? {}, known), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, 3),
      });
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([key, each]) => [
            key,
            valid(each, known, key),
          ]),
        ),
        { requiredKeys: schema.required ?? [] },
      );
    default: {
      const texts = known[name] ?? (schema.examples as string[] | undefined) ?? [];
      return fc.oneof(
        ...(texts.length > 0 ? [{ arbitrary: fc.constantFrom(...texts), weight: 6 }] : []),
        { arbitrary: plainText, weight: 2 },
        { arbitrary: hostileText, weight: 1 },
      );
    }
  }
}

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(null, 0, -1, 1.5, 1e300, '', 'admin', [], [[]], {}, true),
  hostileText,
);

/** A value that an object's schema most likely forbids. */
export function broken(schema: Schema): fc.Arbitrary<unknown> {
  const names = Object.keys(schema.properties ?? {});
  const base = valid(schema) as fc.Arbitrary<Record<string, unknown>>;
  const someName = fc.constantFrom(...(names.length > 0 ? names : ['extra']));
  return fc.oneof(
    fc.tuple(base, someName, anything).map(([value, name, other]) => ({ ...value, [name]: other })),
    fc.tuple(someName, base).map(([name, { [name]: _dropped, ...rest }]) => rest),
    fc
      .tuple(
        base,
        fc.constantFrom('extra', 'id', 'constructor', '__proto__', 'ownerId', ''),
        anything,
      )
      .map(([value, name, other]) => ({ ...value, [name]: other })),
    anything,
  );
}

/** The simplest value that a schema allows, built from its examples; `names` are new ones. */
export function example(schema: Schema, newName: () => string, also: string[] = []): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer') return schema.minimum ?? 1;
  if (schema.type === 'array')
    return schema.examples?.[0] ?? [example(schema.items ?? {}, newName)];
  if (schema.type !== 'object') return schema.examples?.[0] ?? 'text';
  const properties = schema.properties ?? {};
  const required =
    schema.required ?? (schema.minProperties ? Object.keys(properties).slice(0, 1) : []);
  const wanted = Object.entries(properties).filter(
    ([name]) => required.includes(name) || also.includes(name),
  );
  return Object.fromEntries(
    wanted.map(([name, each]) => [
      name,
      /^name(space)?$/.test(name) ? newName() : example(each, newName),
    ]),
  );
}
