import { createArticle } from './patch.ts';

/** The response of `POST /preview`. `html` is null if the text is too complex to render. */
interface Answer {
  html: string | null;
}

const WAIT_MS = 250;
const RETRY_MS = 5000;
const EMPTY = '<p class="hint">Your preview appears here.</p>';

export interface Preview {
  /** Shows this text after a short delay. Renders only the last of several quick changes. */
  update(text: string): void;
}

/**
 * Asks the service to render one text at a time. While a request is pending, only the latest text
 * waits.
 *
 * @param ownerOf returns the owner, whose documents links lead to
 * @param onShown called after the article has changed
 */
export function createPreview(
  container: HTMLElement,
  ownerOf: () => string,
  onShown: () => void,
): Preview {
  const article = createArticle(container);
  let wanted: string | undefined;
  let shown: string | undefined;
  let timer = 0;
  let isAsking = false;

  const soon = (ms: number) => {
    clearTimeout(timer);
    timer = window.setTimeout(show, ms);
  };

  async function show(): Promise<void> {
    if (isAsking || wanted === undefined || wanted === shown) return;
    isAsking = true;
    const text = wanted;
    try {
      article.show(text.trim() === '' ? EMPTY : await layOut(text, ownerOf()));
      shown = text;
      onShown();
      if (wanted !== text) soon(WAIT_MS);
    } catch (error) {
      // Keeps the current preview. If offline or busy, retries with the latest text.
      if (!(error instanceof Refused)) soon(RETRY_MS);
    } finally {
      isAsking = false;
    }
  }

  return {
    update(text) {
      wanted = text;
      soon(shown === undefined ? 0 : WAIT_MS);
    },
  };
}

/** A refusal that isn't retried: signed out, too large, too often. */
class Refused extends Error {}

async function layOut(text: string, owner: string): Promise<string> {
  const body = new FormData();
  body.append('content', text);
  body.append('owner', owner);
  const headers = { accept: 'application/json' };
  const response = await fetch('/preview', { method: 'POST', body, headers });
  if (response.status < 500 && !response.ok) throw new Refused();
  if (!response.ok) throw new Error(`/preview answered ${response.status}`);
  const { html }: Answer = await response.json();
  if (html !== null) return html;
  const source = document.createElement('pre');
  source.className = 'plain-source';
  source.textContent = text;
  return (
    '<p class="notice">This document is too complex to render, so readers see its Markdown.</p>' +
    source.outerHTML
  );
}
