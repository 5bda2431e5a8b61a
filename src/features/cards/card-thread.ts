import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { CARD_FONT, type Card, drawCard } from '../../surfaces/web/card.ts';

/** Entry point of the thread that draws cards. `card-routes.ts` calls this by name. */

const SUBSETS = [
  'latin',
  'latin-ext',
  'vietnamese',
  'greek',
  'greek-ext',
  'cyrillic',
  'cyrillic-ext',
];

let fonts: Promise<Uint8Array[]> | undefined;

/** Draws a card as PNG. */
export async function draw(card: Card): Promise<Uint8Array> {
  fonts ??= start();
  const image = new Resvg(drawCard(card), {
    font: { fontBuffers: await fonts, defaultFontFamily: CARD_FONT, loadSystemFonts: false },
  });
  const rendered = image.render();
  try {
    return rendered.asPng();
  } finally {
    rendered.free();
    image.free();
  }
}

async function start(): Promise<Uint8Array[]> {
  await initWasm(readPackaged('@resvg/resvg-wasm/index_bg.wasm'));
  return SUBSETS.map((subset) =>
    readPackaged(`@fontsource-variable/inter/files/inter-${subset}-wght-normal.woff2`),
  );
}

function readPackaged(file: string): Uint8Array<ArrayBuffer> {
  return readFileSync(fileURLToPath(import.meta.resolve(file)));
}
