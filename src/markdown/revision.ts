/**
 * Names the output of `renderMarkdown`: what was stored under another revision has to be rendered
 * again. `test/markdown/revision.test.ts` fails where the output changes and this does not.
 */
export const RENDERER_REVISION = '2';
