/**
 * The directory of this program, where its package.json is. What it reads there is found from here
 * alone: compiled files, in `dist/src`, and bundles, in `dist/server`, are equally deep only here.
 */
export const ROOT = new URL('../../', import.meta.url);
