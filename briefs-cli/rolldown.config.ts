import { defineConfig } from 'rolldown';
import manifest from './package.json' with { type: 'json' };

/** Bundles the package `briefs-cli` into one file, so that it installs without dependencies. */
export default defineConfig({
  input: 'briefs-cli/src/main.ts',
  platform: 'node',
  transform: { target: 'node20', define: { VERSION: JSON.stringify(manifest.version) } },
  output: {
    file: 'briefs-cli/dist/briefs.js',
    banner: '#!/usr/bin/env node',
    codeSplitting: false,
    minify: true,
  },
});
