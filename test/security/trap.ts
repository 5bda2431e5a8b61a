import type { Browser, BrowserContext, Cookie, Page } from 'playwright-core';
import type { Visitor } from '../sign-in/visitor.ts';

/** A browser that records everything a payload could cause. */
export interface Trap {
  page: Page;
  context: BrowserContext;
  /** The forbidden events; empty if there were none. */
  sprung: string[];
  /** Opens an address, triggers its handlers, and returns the status. */
  open(url: string): Promise<number>;
  /** Finds elements that could still run code, and triggers them with events. */
  provoke(): Promise<void>;
}

const DIAGRAM_REFUSES = /^POLICY .* at \S+\/assets\/diagram\.html$/;

/** Runs in every frame before anything else. */
const WATCH = `
  for (const name of ['alert', 'confirm', 'prompt', 'msgbox']) {
    window[name] = () => console.error('RAN ' + name + ' at ' + location.href);
  }
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
    console.error('POLICY ' + [violatedDirective, blockedURI, sample, 'at', location.href].join(' ')));
`;

/** Finds elements that would run code or navigate when used. */
const PROVOKE = `(() => {
  const found = [];
  for (const element of document.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      if (/^on|^srcdoc$/i.test(name)) found.push(name + '=' + value);
      if (!/^(href|src|action|formaction|data|poster|xlink:href)$/.test(name)) continue;
      const { protocol } = URL.parse(value, document.baseURI) ?? {};
      const isImage = element.localName === 'img' && /^(data|blob):$/.test(protocol);
      if (!/^(https?|mailto):$/.test(protocol) && !isImage) found.push(name + '=' + value);
    }
    for (const type of ['mouseover', 'pointerover', 'focus', 'toggle', 'error', 'load', 'beforematch']) {
      element.dispatchEvent(new Event(type));
    }
  }
  return found;
})()`;

/**
 * Opens a browser window that notes scripts that run, dialogs, complaints of the Content Security
 * Policy, new windows, and requests to strangers for anything but a picture.
 *
 * @param own origins of the service; everything else is a stranger
 * @param visitor who is signed in there, if anybody
 */
export async function setTrap(
  browser: Browser,
  own: readonly string[],
  visitor?: Visitor,
): Promise<Trap> {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const [url = ''] = own;
  const cookies = Array.from(visitor?.cookies ?? [], ([name, value]) => ({ name, value, url }));
  await context.addCookies(cookies as unknown as Cookie[]);
  const sprung: string[] = [];
  await context.addInitScript(WATCH);
  // Not with a route, which would reload everything for each page.
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    const type = request.resourceType();
    const isStranger = /^https?:$/.test(protocol) && !own.includes(origin);
    if (isStranger && type !== 'image') sprung.push(`${type} from ${request.url()}`);
  });
  context.on('console', (message) => {
    const text = message.text();
    // The policy of the frame that draws diagrams is expected to block things.
    if (/^RAN |^POLICY /.test(text) && !DIAGRAM_REFUSES.test(text)) sprung.push(text);
  });
  context.on('dialog', (dialog) => {
    sprung.push(`a dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  context.on('weberror', (error) => sprung.push(String(error.error())));
  const page = await context.newPage();
  page.on('popup', (popup) => sprung.push(`a window: ${popup.url()}`));
  const provoke = async () => {
    for (const found of (await page.evaluate(PROVOKE)) as string[]) sprung.push(found);
  };
  return {
    page,
    context,
    sprung,
    provoke,
    async open(address) {
      const response = await page.goto(address);
      await provoke();
      const isThere = decodeURIComponent(page.url()) === decodeURIComponent(address);
      if (!isThere && !response?.request().redirectedFrom()) sprung.push(`went to ${page.url()}`);
      return response?.status() ?? 0;
    },
  };
}
