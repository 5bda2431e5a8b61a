/**
 * Headers of every response of the render host. The policy names all of Chromium's features but
 * two, which stay on the device and which pages need: writing to the clipboard and full screen.
 * Never add `origin-agent-cluster`: a frame with a `blob:` address then ends Chromium (156), and what
 * is sandboxed ignores it.
 */
const COMMON = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': [
    'accelerometer',
    'autoplay',
    'browsing-topics',
    'camera',
    'captured-surface-control',
    'clipboard-read',
    'compute-pressure',
    'deferred-fetch',
    'deferred-fetch-minimal',
    'digital-credentials-create',
    'digital-credentials-get',
    'display-capture',
    'encrypted-media',
    'gamepad',
    'geolocation',
    'gyroscope',
    'hid',
    'identity-credentials-get',
    'idle-detection',
    'keyboard-map',
    'language-detector',
    'language-model',
    'local-fonts',
    'local-network',
    'local-network-access',
    'loopback-network',
    'magnetometer',
    'microphone',
    'midi',
    'on-device-speech-recognition',
    'otp-credentials',
    'payment',
    'picture-in-picture',
    'private-state-token-issuance',
    'private-state-token-redemption',
    'publickey-credentials-create',
    'publickey-credentials-get',
    'screen-wake-lock',
    'serial',
    'speaker-selection',
    'storage-access',
    'summarizer',
    'translator',
    'usb',
    'window-management',
    'xr-spatial-tracking',
  ]
    .map((feature) => `${feature}=()`)
    .join(', '),
};

/**
 * Returns the headers of the render host, by kind of response.
 *
 * @param sources what pages can load scripts, styles, fonts and images from: `https://…`
 * @param renderUrl where the editor's preview loads uploaded pictures from
 */
export function renderHeaders(webUrl: string, sources: readonly string[], renderUrl: string) {
  const from = sources.map((source) => ` ${source}`).join('');
  const reached = sources.map((source) => ` "${source}${/:\d+$/.test(source) ? '' : ':*'}/*"`);
  /**
   * A user's HTML: scripts run, but without an origin, network access or navigation. Never add
   * `allow-same-origin`. `allow-forms` is needed by forms that scripts handle. What `data:` and
   * `blob:` contain is the page's own, and has its policy.
   */
  const page = (images: string) => ({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      'sandbox allow-scripts allow-forms allow-modals allow-downloads',
      "default-src 'none'",
      `script-src 'unsafe-inline' 'unsafe-eval' data: blob:${from}`,
      `style-src 'unsafe-inline' data: blob:${from}`,
      `img-src data: blob:${images}`,
      `font-src data: blob:${from}`,
      'media-src data: blob:',
      'worker-src data: blob:',
      'connect-src data: blob:',
      'frame-src data: blob:',
      "form-action 'none'",
      "base-uri 'none'",
      "object-src 'none'",
      `frame-ancestors ${webUrl}`,
    ].join('; '),
    'cross-origin-resource-policy': 'cross-origin',
  });
  return {
    common: {
      ...COMMON,
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    },
    page: page(from),
    /**
     * Chromium's connection allowlist. It also blocks what the CSP cannot: WebRTC, prefetching and
     * DNS lookups. A top-level page can follow its links, so `topLevel` allows any address; WebRTC
     * stays blocked.
     */
    framed: { 'connection-allowlist': `(response-origin${reached.join('')})` },
    topLevel: { 'connection-allowlist': '("*://*:*/*")' },
    /** Revalidated on each use, so a page that becomes private is gone at once. */
    publicPage: { 'cache-control': 'public, no-cache' },
    /** A pinned revision never changes, but it can be hidden. */
    pinnedPage: { 'cache-control': 'public, no-cache' },
    signedPage: { 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' },
    /** The editor's preview, which shows uploaded pictures without putting them into the page. */
    preview: {
      ...page(`${from} ${renderUrl}/files/`),
      'cache-control': 'public, no-cache',
      'x-robots-tag': 'noindex',
    },
    /** An uploaded file, which documents of any origin can embed as an image, not in a frame. */
    file: {
      'content-security-policy':
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'cross-origin',
      // Short, so that deleted files soon leave caches.
      'cache-control': 'public, max-age=300',
      'x-robots-tag': 'noindex',
    },
  };
}
