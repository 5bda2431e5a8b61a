import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import subsetFont from 'subset-font';
import { defineConfig, type Plugin } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Adds files to the build that only pages refer to, not modules or style sheets. */
function pictures(): Plugin {
  return {
    name: 'pictures',
    buildStart() {
      for (const name of ['favicon.svg', 'front-light.png', 'front-dark.png']) {
        const source = readFileSync(here(`./${name}`));
        this.emitFile({ type: 'asset', name, originalFileName: name, source });
      }
    },
  };
}

/** Draws the icons of the installed app: the mark of `favicon.svg`, light on the accent colour. */
function icons(): Plugin {
  const tokens = readFileSync(here('./tokens.css'), 'utf8');
  const light = (name: string) => new RegExp(`--${name}: light-dark\\((#\\w+),`).exec(tokens)?.[1];
  const [path] = /<path [^>]*>/.exec(readFileSync(here('./favicon.svg'), 'utf8')) ?? [];
  const draw = (size: number, radius: number) =>
    new Resvg(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="-12 -12 48 48">
        <rect x="-12" y="-12" width="48" height="48" rx="${radius}" fill="${light('accent')}"/>
        <g fill="none" stroke="${light('paper')}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${path}</g>
      </svg>`,
    )
      .render()
      .asPng();
  return {
    name: 'icons',
    async buildStart() {
      const wasm = createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm');
      await initWasm(readFileSync(wasm));
      for (const [name, size, radius] of [
        ['icon-192.png', 192, 10],
        ['icon-512.png', 512, 10],
        // Systems cut these to their own shape.
        ['icon-touch.png', 180, 0],
        ['icon-maskable.png', 512, 0],
      ] as const) {
        this.emitFile({ type: 'asset', name, originalFileName: name, source: draw(size, radius) });
      }
    },
  };
}

/** Where `fonts` writes; style sheets call it `@fonts`. */
const FONTS = here('../../../../dist/fonts');

/** Layout features that text always needs, and those that style sheets use. */
const FEATURES = ['ccmp', 'kern', 'liga', 'locl', 'mark', 'mkmk', 'onum', 'lnum', 'tnum'];

/** Cuts the packages' fonts to the weights and characters that `fonts.css` declares. */
function fonts(): Plugin {
  const FACE =
    /@fonts\/(([a-z-]+)-latin\S*)-(\w+)\.(\d+)(?:-(\d+))?\.woff2[^}]+unicode-range:([^;]+)/g;
  return {
    name: 'fonts',
    async buildStart() {
      mkdirSync(FONTS, { recursive: true });
      const faces = readFileSync(here('./fonts.css'), 'utf8').matchAll(FACE);
      for (const [, subset, family, style, min, max, ranges = ''] of faces) {
        const source = `@fontsource-variable/${family}/files/${subset}-wght-${style}.woff2`;
        const font = readFileSync(fileURLToPath(import.meta.resolve(source)));
        const cut = await subsetFont(font, charactersOf(ranges), {
          targetFormat: 'woff2',
          keepFeatures: FEATURES,
          variationAxes: { wght: max ? { min: Number(min), max: Number(max) } : Number(min) },
        });
        const weights = max ? `${min}-${max}` : min;
        writeFileSync(`${FONTS}/${subset}-${style}.${weights}.woff2`, cut);
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
  root: here('.'),
  base: '/',
  publicDir: false,
  plugins: [fonts(), pictures(), icons(), gzip()],
  resolve: { alias: { '@fonts': FONTS } },
  build: {
    outDir: here('../../../../dist/client'),
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
      input: {
        theme: here('./theme.ts'),
        page: here('./page.ts'),
        app: here('./app/app.ts'),
        security: here('../../../features/factors/client/security.css'),
        passkey: here('../../../features/factors/client/passkey.ts'),
        proof: here('../../../features/factors/client/proof.ts'),
        live: here('../../../features/live/client/live.ts'),
        'app-style': here('./app/app.css'),
        editor: here('../../../features/editor/client/editor.ts'),
        'editor-style': here('../../../features/editor/client/editor.css'),
        transfer: here('../../../features/transfer/client/transfer.ts'),
        reading: here('./reading.css'),
        'reading-script': here('../../../features/reading/client/reading.ts'),
        article: here('./article.css'),
        slides: here('../../../features/reading/client/slides/slides.css'),
        'slides-script': here('../../../features/reading/client/slides/slides.ts'),
        comments: here('../../../features/review/client/comments.css'),
        'editor-threads': here('../../../features/editor/client/threads.css'),
        'frame-comments': here('../../../features/review/client/frame-comments.css'),
        comparison: here('./comparison.css'),
        administration: here('../../../features/administration/client/administration.css'),
        history: here('../../../features/revisions/client/history.css'),
        site: here('./site.css'),
        'public-in-app': here('./public-in-app.css'),
        math: here('./math.css'),
        diagram: here('./assets/diagram.html'),
        'frame-port': here('./frame-port.ts'),
        'page-frame': here('./page-frame.ts'),
        'service-worker': here('../../../features/offline/service-worker/service-worker.ts'),
        'review-frame': here('../../../features/review/client/frame/review-frame.ts'),
      },
    },
  },
});
