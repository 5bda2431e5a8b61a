import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify/types/schema.js';

/**
 * Serializes exactly the fields of a response's schema. Compiles the function at the first
 * response. Errors arrive here as text, so they need none.
 */
export const compileSerializer: FastifySerializerCompiler<object> = ({ schema, httpStatus }) => {
  if (Number(httpStatus) >= 400) return JSON.stringify;
  let compiled: ReturnType<typeof fastJsonStringify> | undefined;
  return (answer) => {
    compiled ??= fastJsonStringify(schema);
    return compiled(answer);
  };
};
