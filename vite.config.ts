import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import subsetFont from 'subset-font';
import { defineConfig, type Plugin } from 'vite';
import { CLIENT } from './src/client.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What every screen shares, and the pictures. */
const FRAME = here('./src/surfaces/web/client/');

/** Adds files to the build that only pages refer to, not modules or style sheets. */
function pictures(): Plugin {
  return {
    name: 'pictures',
    buildStart() {
      for (const name of readdirSync(FRAME).filter((file) => /\.(svg|png)$/.test(file))) {
        const source = readFileSync(FRAME + name);
        this.emitFile({ type: 'asset', name, originalFileName: name, source });
      }
    },
  };
}

/** Where `fonts` writes; style sheets call it `@fonts`. */
const FONTS = here('./dist/fonts');

/** Layout features that text always needs, and those that style sheets use. */
const FEATURES = ['ccmp', 'kern', 'liga', 'locl', 'mark', 'mkmk', 'onum', 'lnum', 'tnum'];

/** Cuts the packages' fonts to the weights and characters that `fonts.css` declares. */
function fonts(): Plugin {
  const FACE =
    /@fonts\/((([a-z-]+)-latin\S*)-(\w+)\.(\d+)(?:-(\d+))?\S*)"[^}]+unicode-range:([^;]+)/g;
  return {
    name: 'fonts',
    async buildStart() {
      mkdirSync(FONTS, { recursive: true });
      const faces = readFileSync(`${FRAME}fonts.css`, 'utf8').matchAll(FACE);
      for (const [, file, subset, family, style, min, max, ranges = ''] of faces) {
        const source = `@fontsource-variable/${family}/files/${subset}-wght-${style}.woff2`;
        const font = readFileSync(fileURLToPath(import.meta.resolve(source)));
        const cut = await subsetFont(font, charactersOf(ranges), {
          targetFormat: 'woff2',
          keepFeatures: FEATURES,
          variationAxes: { wght: max ? { min: Number(min), max: Number(max) } : Number(min) },
        });
        writeFileSync(`${FONTS}/${file}`, cut);
      }
    },
  };
}

/** Returns the characters of a `unicode-range`. */
function charactersOf(ranges: string): string {
  const points = Array.from(ranges.matchAll(/U\+(\w+)(?:-(\w+))?/g), ([, from = '', to = from]) => {
    const first = Number.parseInt(from, 16);
    return Array.from({ length: Number.parseInt(to, 16) - first + 1 }, (_, at) => first + at);
  });
  return String.fromCodePoint(...points.flat());
}

/** Compresses scripts and styles at build time. */
function gzip(): Plugin {
  return {
    name: 'gzip',
    writeBundle({ dir }) {
      for (const name of readdirSync(`${dir}/assets`)) {
        if (!/\.(js|css)$/.test(name)) continue;
        const path = `${dir}/assets/${name}`;
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  // The address of the frame for diagrams is its path below the root.
  root: FRAME,
  base: '/',
  publicDir: false,
  plugins: [fonts(), pictures(), gzip()],
  resolve: { alias: { '@fonts': FONTS } },
  build: {
    outDir: here('./dist/client'),
    emptyOutDir: true,
    manifest: 'manifest.json',
    // Browsers with light-dark() and MathML Core. For older ones, styles would only get longer.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // A data: address would need a weaker Content-Security-Policy.
    assetsInlineLimit: 0,
    // The preload helper would add a script to every page. It would also make pages preload the
    // diagram frame's code.
    modulePreload: false,
    // Mermaid's larger diagram types are single modules. They load only when drawn.
    chunkSizeWarningLimit: 2048,
    rolldownOptions: {
      // Names without a hash: the render host writes the review frame's script into pages, and a
      // service worker needs a fixed address.
      output: {
        entryFileNames: ({ name }) =>
          ['review-frame', 'service-worker'].includes(name)
            ? '[name].js'
            : 'assets/[name]-[hash].js',
      },
      input: Object.fromEntries(
        Object.entries(CLIENT).map(([name, source]) => [name, here(`./src/${source}`)]),
      ),
    },
  },
});
