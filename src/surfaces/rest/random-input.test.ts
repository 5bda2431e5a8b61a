import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type BodyRoute,
  type Furnished,
  startFurnished,
  withBytes,
} from './body-routes.testing.ts';

/** Runs per route; every run of the suite tests different values. */
const RUNS = 12;

describe('Random bodies: a documented response, never a 5xx', () => {
  let furnished: Furnished;

  before(async () => {
    furnished = await startFurnished();
  });
  after(() => furnished.service.stop());

  async function onEveryRoute(body: (route: BodyRoute) => fc.Arbitrary<string>): Promise<void> {
    for (const route of furnished.routes) {
      const property = fc.asyncProperty(body(route), async (text) => {
        // The response is also validated with the OpenAPI document.
        const { status, text: answer } = await withBytes(route, text);
        assert.ok(status < 500, `${route.method} ${route.path} ${text}: ${answer}`);
      });
      await fc.assert(property, { numRuns: RUNS });
    }
  }

  it('any JSON', () => onEveryRoute(() => fc.json({ maxDepth: 4 })));

  it('known fields with any values', () =>
    onEveryRoute(({ fields, valid }) => {
      const value = (name: string) =>
        fc.oneof(fc.constant(valid[name]), fc.string({ unit: 'binary' }), fc.jsonValue());
      const record = fc.record(
        Object.fromEntries(Object.keys(fields).map((name) => [name, value(name)])),
        { requiredKeys: [] },
      );
      return record.map((body) => JSON.stringify(body));
    }));

  it('valid bodies with a byte changed', () =>
    onEveryRoute(({ valid }) => {
      const text = JSON.stringify(valid);
      return fc
        .tuple(fc.nat(text.length - 1), fc.string({ unit: 'binary', maxLength: 3 }))
        .map(([at, change]) => text.slice(0, at) + change + text.slice(at + 1));
    }));

  it('texts that resemble names', () =>
    onEveryRoute(({ fields, valid }) => {
      const unit = fc.constantFrom(
        ...Array.from('aZ0-_. \u0130\u00df\u212a\u0301\u200d\u2028\u{1f600}é'),
      );
      const texts = fc.string({ unit, minLength: 1, maxLength: 110 });
      return texts.map((text) => {
        const names = Object.keys(fields).filter((name) => /name/.test(name));
        return JSON.stringify({
          ...valid,
          ...Object.fromEntries(names.map((name) => [name, text])),
        });
      });
    }));
});
