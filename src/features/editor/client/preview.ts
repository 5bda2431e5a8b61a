import { createArticle } from './patch.ts';

/** The response of `POST /preview`. `html` is null if the text is too complex to render. */
interface Answer {
  html: string | null;
}

const WAIT_MS = 250;
/** How long the preview stands still while somebody types, at most; longer if showing it takes long. */
const AT_MOST_MS = 1000;
const SHARE = 0.1;
const RETRY_MS = 5000;
const EMPTY = '<p class="hint">Your preview appears here.</p>';

export interface Preview {
  /** Shows this text after a short delay, and about once a second of several quick changes. */
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
  let due = 0;
  let tookMs = 0;
  let isAsking = false;

  const soon = (ms: number) => {
    clearTimeout(timer);
    timer = window.setTimeout(show, ms);
  };

  async function show(): Promise<void> {
    if (isAsking || wanted === undefined || wanted === shown) return;
    isAsking = true;
    due = 0;
    const text = wanted;
    try {
      const html = text.trim() === '' ? EMPTY : await layOut(text, ownerOf());
      tookMs = await article.show(html);
      shown = text;
      onShown();
      if (wanted !== text) update(wanted);
    } catch (error) {
      // Keeps the current preview. If offline or busy, retries with the latest text.
      if (!(error instanceof Refused)) soon(RETRY_MS);
    } finally {
      isAsking = false;
    }
  }

  function update(text: string): void {
    wanted = text;
    due ||= performance.now() + Math.max(AT_MOST_MS, tookMs / SHARE);
    soon(shown === undefined ? 0 : Math.min(WAIT_MS, Math.max(0, due - performance.now())));
  }

  return { update };
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
