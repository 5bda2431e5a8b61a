/** The ordinary shapes of operations. One of another shape is declared with `addOperation`. */
import { type TObject, type TSchema, Type } from 'typebox';
import type { Page } from '../../base/pagination/result-page.ts';
import { type Api, addOperation, type Declared, NO_CONTENT, type RequestOf } from './operation.ts';

/** Adds an operation that answers one result page of a list. */
export function list<const Path extends string, Row, Query extends TObject | undefined = undefined>(
  api: Api,
  operation: Declared<Path, Query, undefined> & {
    /** The schema of one item. */
    items: TSchema;
    find: (asked: RequestOf<Path, Query, undefined>) => Promise<Page<Row>>;
    present: (row: Row, asked: RequestOf<Path, Query, undefined>) => unknown;
  },
): void {
  const { items, find, present, ...declared } = operation;
  addOperation(api, {
    ...declared,
    method: 'GET',
    paginated: 'pages',
    answers: { 200: Type.Array(items) },
    handler: async (asked) => {
      const page = await find(asked);
      return { status: 200, data: page.items.map((row) => present(row, asked)), total: page.total };
    },
  });
}

/** Adds an operation that answers what it reads. */
export const get = answering('GET');

/** Adds an operation that changes fields of something, and answers it. */
export const change = answering('PATCH');

/** Adds an operation that sets the whole of something, and answers it. */
export const put = answering('PUT');

/** Adds an operation that does something, and answers what came of it. */
export const act = answering('POST');

function answering(method: 'GET' | 'PATCH' | 'PUT' | 'POST') {
  return <
    const Path extends string,
    Query extends TObject | undefined = undefined,
    Body extends TSchema | undefined = undefined,
  >(
    api: Api,
    operation: Declared<Path, Query, Body> & {
      answer: TSchema;
      handler: (asked: RequestOf<Path, Query, Body>) => Promise<object>;
    },
  ): void => {
    const { answer, handler, ...declared } = operation;
    addOperation(api, {
      ...declared,
      method,
      answers: { 200: answer },
      handler: async (asked) => ({ status: 200, data: await handler(asked) }),
    });
  };
}

/** Adds an operation that makes something, and answers it with its location, below `{base_url}`. */
export function make<
  const Path extends string,
  Query extends TObject | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(
  api: Api,
  operation: Declared<Path, Query, Body> & {
    answer: TSchema;
    handler: (asked: RequestOf<Path, Query, Body>) => Promise<{ data: object; location: string }>;
  },
): void {
  const { answer, handler, ...declared } = operation;
  addOperation(api, {
    ...declared,
    method: 'POST',
    answers: { 201: answer },
    sends: { 201: ['Location'] },
    handler: async (asked) => ({ status: 201, ...(await handler(asked)) }),
  });
}

/** Adds an operation that deletes something, and answers nothing. */
export function remove<const Path extends string>(
  api: Api,
  operation: Declared<Path, undefined, undefined> & {
    handler: (asked: RequestOf<Path, undefined, undefined>) => Promise<unknown>;
  },
): void {
  addOperation(api, {
    ...operation,
    method: 'DELETE',
    answers: { 204: null },
    handler: async (asked) => {
      await operation.handler(asked);
      return NO_CONTENT;
    },
  });
}
