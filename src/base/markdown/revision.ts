/**
 * Version of `renderMarkdown`'s output. Increase it when the output changes, so that stored output
 * is rendered again; `src/base/markdown/revision.test.ts` fails if you forget.
 */
export const RENDERER_REVISION = '7';
