import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../base/package.ts';

/**
 * Returns a script to run before those of a user's HTML. A sandbox has no origin, so `localStorage`,
 * `sessionStorage` and `document.cookie` throw, and a page that only remembers its theme dies. The
 * script puts stand-ins in their place, which keep what they are given until the page ends.
 *
 * In our frame, it also tells the page around it which addresses the policy has blocked, when it is
 * asked and whenever there are more.
 *
 * @param webUrl the only parent that learns them
 */
export function standInScript(webUrl: string): string {
  return `<script>(() => {${STORAGE}${COOKIE}})();${reportBlocked(webUrl)}</script>`;
}

/**
 * Returns the statements that tell the page around a frame what is blocked. They have to run again
 * after `document.open()`, which takes listeners away.
 */
export function reportBlocked(webUrl: string): string {
  const web = JSON.stringify(new URL(webUrl).origin).replaceAll('<', '\\u003c');
  return `(() => {${BLOCKED}report(${web});})();`;
}

/** As large as in browsers, in UTF-16 code units. */
const STORAGE = `
  const QUOTA = 5_000_000;
  const makeStorage = () => {
    const items = new Map();
    let size = 0;
    const sizeOf = (key) => items.has(key) ? key.length + items.get(key).length : 0;
    const methods = {
      getItem: (key) => items.get(String(key)) ?? null,
      setItem(key, value) {
        const [name, text] = [String(key), String(value)];
        const next = size - sizeOf(name) + name.length + text.length;
        if (next > QUOTA) throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
        size = next;
        items.set(name, text);
      },
      removeItem(key) {
        size -= sizeOf(String(key));
        items.delete(String(key));
      },
      clear() {
        size = 0;
        items.clear();
      },
      key: (index) => [...items.keys()][index] ?? null,
    };
    return new Proxy(Object.create(Storage.prototype), {
      get(target, name) {
        if (name === 'length') return items.size;
        if (Object.hasOwn(methods, name)) return methods[name];
        return items.has(name) ? items.get(name) : Reflect.get(target, name);
      },
      set(target, name, value) {
        if (typeof name === 'symbol') return Reflect.set(target, name, value);
        methods.setItem(name, value);
        return true;
      },
      has: (target, name) => items.has(name) || Reflect.has(target, name),
      deleteProperty(target, name) {
        if (typeof name === 'string') methods.removeItem(name);
        return true;
      },
      defineProperty(target, name, { value }) {
        methods.setItem(name, value);
        return true;
      },
      ownKeys: () => [...items.keys()],
      getOwnPropertyDescriptor: (target, name) => items.has(name)
        ? { value: items.get(name), writable: true, enumerable: true, configurable: true }
        : undefined,
    });
  };
  for (const name of ['localStorage', 'sessionStorage']) {
    const storage = makeStorage();
    Object.defineProperty(window, name, { get: () => storage, enumerable: true, configurable: true });
  }`;

const COOKIE = `
  const cookies = new Map();
  Object.defineProperty(document, 'cookie', {
    enumerable: true,
    configurable: true,
    get: () => [...cookies].map(([name, value]) => name === '' ? value : name + '=' + value).join('; '),
    set(text) {
      const [pair, ...attributes] = String(text).split(';');
      const at = pair.indexOf('=');
      const name = pair.slice(0, Math.max(0, at)).trim();
      let ends = Infinity;
      for (const attribute of attributes) {
        const [key, value = ''] = attribute.split(/=(.*)/s).map((part) => part.trim());
        if (/^max-age$/i.test(key)) ends = Date.now() + Number(value) * 1000;
        else if (/^expires$/i.test(key) && ends === Infinity) ends = Date.parse(value);
      }
      if (ends <= Date.now()) cookies.delete(name);
      else cookies.set(name, pair.slice(at + 1).trim());
    },
  });`;

/** After so many addresses, more say nothing new. */
const BLOCKED = `
  const report = (web) => {
    if (parent === window) return;
    const blocked = new Set();
    const tell = () => parent.postMessage({ blocked: [...blocked] }, web);
    addEventListener('securitypolicyviolation', ({ blockedURI }) => {
      if (!/^(https?|wss?):/.test(blockedURI) || blocked.size >= 20) return;
      const address = URL.parse(blockedURI);
      if (!address || blocked.has(address.host)) return;
      blocked.add(address.host);
      tell();
    });
    addEventListener('message', ({ source, data }) => {
      if (source === parent && data === 'which-are-blocked' && blocked.size > 0) tell();
    });
  };`;

/**
 * Returns a script to append to a user's HTML in our frame. It says how far the page is scrolled, so that the
 * page around the frame can scroll a newer one as far (`client/replace-frame.ts`). The frame can't navigate or open
 * windows. So when a link to another address is clicked, the script sends the address to the parent
 * page, which opens a new tab. The parent decides what to open (`client/frame-links.ts`), so
 * the HTML gains no rights.
 *
 * Clicks that the page itself handles (`preventDefault`) are ignored.
 *
 * @param webUrl the only parent that gets the messages
 */
export function frameScript(webUrl: string): string {
  const web = JSON.stringify(new URL(webUrl).origin).replaceAll('<', '\\u003c');
  return `
<script>
(() => {
  if (parent === window) return;
  const withoutFragment = (url) => url.split('#')[0];
  addEventListener('click', (event) => {
    if (event.defaultPrevented) return;
    const link = event.composedPath().find((node) => node.matches?.('a, area') && node.href);
    if (!link || link.hasAttribute('download')) return;
    const url = URL.parse(link.href.baseVal ?? link.href, document.baseURI);
    if (!url || !/^https?:$/.test(url.protocol)) return;
    if (withoutFragment(url.href) === withoutFragment(location.href)) return;
    event.preventDefault();
    parent.postMessage({ openLink: url.href }, ${web});
  });
  addEventListener('scroll', () => parent.postMessage({ scrolledTo: scrollY }, ${web}));
  addEventListener('message', ({ source, data }) => {
    if (source === parent && data?.scrollTo > 0) scrollTo({ top: data.scrollTo, behavior: 'instant' });
  });
})();
</script>
`;
}

/** The script that the client's build creates from `features/discussion/client/frame/`. */
const BUILT = fileURLToPath(new URL('dist/client/review-frame.js', ROOT));

/**
 * Returns the script to insert in a page that is shown beside its comments. It must run before the
 * page's own scripts.
 *
 * @param webUrl the only parent that gets the script's message port
 * @throws Error with instructions if the client isn't built
 */
export function reviewScript(webUrl: string): string {
  const script = readScript();
  // These would end the script element early, or never.
  if (/<\/script|<!--/i.test(script)) throw new Error(`${BUILT} can’t stand in HTML.`);
  const web = JSON.stringify(new URL(webUrl).origin).replaceAll('<', '\\u003c');
  return `<script>(() => { const webOrigin = ${web}; ${script}\n})()</script>`;
}

function readScript(): string {
  try {
    return readFileSync(BUILT, 'utf8');
  } catch (cause) {
    throw new Error(`The web client is not built (no ${BUILT}): run "npm run build:client".`, {
      cause,
    });
  }
}
