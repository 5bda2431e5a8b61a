import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

const packageJson = findPackageJSON(import.meta.url);
if (!packageJson) throw new Error('package.json is missing.');

/**
 * The directory of package.json and `dist/`. Found by package.json, because compiled files
 * (`dist/src/…`) and bundles (`dist/server`) have different depths.
 */
export const ROOT = new URL('./', pathToFileURL(packageJson));

export const VERSION: string = JSON.parse(readFileSync(packageJson, 'utf8')).version;
