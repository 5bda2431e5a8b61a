import { defineConfig } from 'rolldown';

/**
 * Bundles the server into `dist/server`, which `bin/briefs.js` runs: to find, read and link some 1,500
 * modules took two fifths of a start. What is imported dynamically stays in files of its own. The tests
 * run the modules one by one, in `dist/src`.
 */
export default defineConfig({
  input: {
    briefs: 'src/cli/briefs.ts',
    'measured-thread': 'src/base/threads/measured-thread.ts',
    worker: 'src/base/markdown/worker.ts',
    'text-thread': 'src/base/text/text-thread.ts',
    'search-thread': 'src/storage/word-index/search-thread.ts',
    'word-thread': 'src/storage/word-index/word-thread.ts',
  },
  platform: 'node',
  // One package (depd) wraps functions by a direct eval, which is left as it is.
  checks: { eval: false },
  // They look for files beside their own.
  external: ['ioredis', 'pino', 'piscina'],
  output: {
    dir: 'dist/server',
    cleanDir: true,
    // Whoever has threads looks for their entry beside itself.
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // Some packages go by what a class is called, which another of that name must not change.
    keepNames: true,
    // V8 holds a source with other characters at two bytes each; comments count too.
    charset: 'ascii',
    comments: { jsdoc: false, annotation: false, legal: true },
    sourcemap: true,
    sourcemapExcludeSources: true,
  },
});
