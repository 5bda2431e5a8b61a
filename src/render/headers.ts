/** Every answer of the render host. The features are those that Chromium knows by name. */
const COMMON = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'origin-agent-cluster': '?1',
  'permissions-policy': [
    ...['accelerometer', 'autoplay', 'browsing-topics', 'camera', 'captured-surface-control'],
    ...['clipboard-read', 'clipboard-write', 'compute-pressure', 'deferred-fetch'],
    ...['deferred-fetch-minimal', 'digital-credentials-create', 'digital-credentials-get'],
    ...['display-capture', 'encrypted-media', 'fullscreen', 'gamepad', 'geolocation'],
    ...['gyroscope', 'hid', 'identity-credentials-get', 'idle-detection', 'keyboard-map'],
    ...['language-detector', 'language-model', 'local-fonts', 'local-network'],
    ...['local-network-access', 'loopback-network', 'magnetometer', 'microphone', 'midi'],
    ...['on-device-speech-recognition', 'otp-credentials', 'payment', 'picture-in-picture'],
    ...['private-state-token-issuance', 'private-state-token-redemption'],
    ...['publickey-credentials-create', 'publickey-credentials-get', 'screen-wake-lock'],
    ...['serial', 'speaker-selection', 'storage-access', 'summarizer', 'translator', 'usb'],
    ...['window-management', 'xr-spatial-tracking'],
  ]
    .map((feature) => `${feature}=()`)
    .join(', '),
};

/** The headers of the render host, by what is sent. */
export function renderHeaders(webUrl: string) {
  return {
    common: {
      ...COMMON,
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    },
    /**
     * Somebody's HTML: scripts run, without an origin, a network or a way out. Never
     * `allow-same-origin`; without `allow-forms` a page's own scripted forms would die.
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
     * Chromium's list of what a page may connect to, which covers what its policy cannot: WebRTC,
     * prefetching, looking up names. A page by itself may be left by its links, so it may name any
     * address; WebRTC has none and stays closed.
     */
    framed: { 'connection-allowlist': '(response-origin)' },
    alone: { 'connection-allowlist': '("*://*:*/*")' },
    /** Readers ask each time, so that making a page private bites at once. */
    publicPage: { 'cache-control': 'public, no-cache' },
    /** A pinned revision never changes. */
    pinnedPage: { 'cache-control': 'public, max-age=31536000, immutable' },
    signedPage: { 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' },
    /** What becomes a page that is still being written. */
    preview: { 'cache-control': 'public, no-cache', 'x-robots-tag': 'noindex' },
    /** An uploaded file, which documents of any origin may show. */
    file: {
      'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
      'cross-origin-resource-policy': 'cross-origin',
      // Short, so that a deleted file is soon gone from caches too.
      'cache-control': 'public, max-age=300',
      'x-robots-tag': 'noindex',
    },
  };
}
