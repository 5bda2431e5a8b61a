import { strict as assert } from 'node:assert';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

/** The most the image adds to Node's (docs/operate/several-machines.md). */
const BUDGET_MB = 120;

interface Locked {
  dev?: boolean;
  optional?: boolean;
  devOptional?: boolean;
  link?: boolean;
}

describe('What deploy/Dockerfile copies into the image', () => {
  it('stays within its budget', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, Locked>;
    };
    // Nested packages are counted with their parents.
    const installed = Object.entries(packages)
      .filter(([path]) => path.lastIndexOf('node_modules/') === 0)
      .filter(
        ([, { dev, optional, devOptional, link }]) => !(dev || optional || devOptional || link),
      )
      .map(([path]) => path);
    assert.ok(installed.includes('node_modules/fastify'));
    const paths = ['bin', 'dist/server', 'dist/client', ...installed];
    const megabytes = paths.reduce((sum, path) => sum + sizeOf(path), 0) / 1024 / 1024;
    assert.ok(megabytes > 10, `${megabytes} MB`);
    assert.ok(megabytes <= BUDGET_MB, `${megabytes} MB, more than ${BUDGET_MB}`);
  });
});

function sizeOf(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
