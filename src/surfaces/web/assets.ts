import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ASSET_NAMES, type Assets } from './pages/assets.ts';

interface ManifestEntry {
  file: string;
}

/**
 * Reads the manifest of the client's build.
 *
 * @param manifestPath of `dist/client/manifest.json`
 * @throws Error with instructions if the client was not built or a file is missing
 */
export function loadAssets(manifestPath: string): Assets {
  const urls = new Map<string, string>();
  for (const [source, { file }] of Object.entries(readManifest(manifestPath))) {
    urls.set(basename(source).replace(/\.ts$/, '.js'), `/${file}`);
  }
  for (const name of ASSET_NAMES) {
    if (!urls.has(name)) {
      throw new Error(`${manifestPath} lacks ${name}: run "npm run build:client" again.`);
    }
  }
  return { url: (entry) => urls.get(entry) as string };
}

function readManifest(path: string): Record<string, ManifestEntry> {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new Error(`The web client is not built (no ${path}): run "npm run build:client".`, {
      cause,
    });
  }
}
