/** Headers of every response of the render host. The policy names all of Chromium's features. */
const COMMON = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'origin-agent-cluster': '?1',
  'permissions-policy': [
    'accelerometer',
    'autoplay',
    'browsing-topics',
    'camera',
    'captured-surface-control',
    'clipboard-read',
    'clipboard-write',
    'compute-pressure',
    'deferred-fetch',
    'deferred-fetch-minimal',
    'digital-credentials-create',
    'digital-credentials-get',
    'display-capture',
    'encrypted-media',
    'fullscreen',
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

/** Returns the headers of the render host, by kind of response. */
export function renderHeaders(webUrl: string) {
  return {
    common: {
      ...COMMON,
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    },
    /**
     * A user's HTML: scripts run, but without an origin, network access or navigation. Never add
     * `allow-same-origin`. `allow-forms` is needed by forms that scripts handle.
     */
    page: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        'sandbox allow-scripts allow-forms allow-modals allow-downloads',
        "default-src 'none'",
        "script-src 'unsafe-inline' 'unsafe-eval' blob: data:",
        "style-src 'unsafe-inline'",
        'img-src data: blob:',
        'font-src data:',
        'media-src data: blob:',
        'worker-src blob:',
        "connect-src 'none'",
        "frame-src 'none'",
        "form-action 'none'",
        "base-uri 'none'",
        "object-src 'none'",
        `frame-ancestors ${webUrl}`,
      ].join('; '),
      'cross-origin-resource-policy': 'cross-origin',
    },
    /**
     * Chromium's connection allowlist. It also blocks what the CSP cannot: WebRTC, prefetching and
     * DNS lookups. A top-level page can follow its links, so `topLevel` allows any address; WebRTC
     * stays blocked.
     */
    framed: { 'connection-allowlist': '(response-origin)' },
    topLevel: { 'connection-allowlist': '("*://*:*/*")' },
    /** Revalidated on each use, so a page that becomes private is gone at once. */
    publicPage: { 'cache-control': 'public, no-cache' },
    /** A pinned revision never changes. */
    pinnedPage: { 'cache-control': 'public, max-age=31536000, immutable' },
    signedPage: { 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' },
    /** The editor's preview. */
    preview: { 'cache-control': 'public, no-cache', 'x-robots-tag': 'noindex' },
    /** An uploaded file, which documents of any origin can embed. */
    file: {
      'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
      'cross-origin-resource-policy': 'cross-origin',
      // Short, so that deleted files soon leave caches.
      'cache-control': 'public, max-age=300',
      'x-robots-tag': 'noindex',
    },
  };
}
