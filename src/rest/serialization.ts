import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify/types/schema.js';

/**
 * Writes exactly the fields of an answer's schema. The function is compiled when the first answer is
 * written. Errors are text already when they come here, so theirs need no function.
 */
export const compileSerializer: FastifySerializerCompiler<object> = ({ schema, httpStatus }) => {
  if (Number(httpStatus) >= 400) return JSON.stringify;
  let compiled: ReturnType<typeof fastJsonStringify> | undefined;
  return (answer) => {
    compiled ??= fastJsonStringify(schema);
    return compiled(answer);
  };
};
