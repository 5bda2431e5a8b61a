import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

const packageJson = findPackageJSON(import.meta.url);
if (!packageJson) throw new Error('There is no package.json above the program.');

/**
 * The directory that holds package.json and `dist/`. Found from package.json, because compiled files
 * (`dist/src/…`) and bundles (`dist/server`) are not equally deep.
 */
export const ROOT = new URL('./', pathToFileURL(packageJson));

/** The version in package.json. */
export const VERSION: string = JSON.parse(readFileSync(packageJson, 'utf8')).version;
