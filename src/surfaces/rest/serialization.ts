import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify/types/schema.js';

/**
 * Returns the function that serializes exactly the fields of a response's schema. Compiles the
 * schema at the first response. Error bodies are already text, so their schemas aren't compiled.
 */
export const compileSerializer: FastifySerializerCompiler<object> = ({ schema, httpStatus }) => {
  if (Number(httpStatus) >= 400) return JSON.stringify;
  let compiled: ReturnType<typeof fastJsonStringify> | undefined;
  return (answer) => {
    compiled ??= fastJsonStringify(schema);
    return compiled(answer);
  };
};
