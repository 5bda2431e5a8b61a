import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify/types/schema.js';
import { keptWithRow } from '../kept-with-row.ts';

/**
 * Compiles what writes an answer, when the first is written: exactly the fields of its schema. What is
 * written of a remembered row is kept with it. Errors are written before they come here; a function
 * compiled for each of the hundreds that routes document would only cost memory.
 */
export const compileSerializer: FastifySerializerCompiler<object> = ({ schema, httpStatus }) => {
  if (Number(httpStatus) >= 400) return JSON.stringify;
  let compiled: ReturnType<typeof fastJsonStringify> | undefined;
  const write = keptWithRow((data: object) => {
    compiled ??= fastJsonStringify(schema);
    return compiled({ data });
  });
  return ({ data }) => write(data);
};
