import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Assets } from './pages/assets.ts';

interface ManifestEntry {
  file: string;
}

/**
 * Reads the manifest of the client's build.
 *
 * @param manifestPath of `dist/client/manifest.json`
 * @param sources of the files that it must have
 * @throws Error with instructions if the client was not built or a file is missing
 */
export function loadAssets(manifestPath: string, sources: readonly string[] = []): Assets {
  const urls = new Map<string, string>();
  for (const [source, { file }] of Object.entries(readManifest(manifestPath))) {
    urls.set(nameOf(source), `/${file}`);
  }
  const url = (name: string) => {
    const found = urls.get(name);
    if (found) return found;
    throw new Error(`${manifestPath} lacks ${name}: run "npm run build:client" again.`);
  };
  for (const source of sources) url(nameOf(source));
  return { url };
}

const nameOf = (source: string) => basename(source).replace(/\.ts$/, '.js');

function readManifest(path: string): Record<string, ManifestEntry> {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new Error(`The web client is not built (no ${path}): run "npm run build:client".`, {
      cause,
    });
  }
}
