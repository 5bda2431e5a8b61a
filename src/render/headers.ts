/** Every answer of the render host. The features are those that Chromium knows by name. */
const COMMON = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'origin-agent-cluster': '?1',
  'permissions-policy': [
    ...['accelerometer', 'autoplay', 'browsing-topics', 'camera', 'clipboard-read'],
    ...['clipboard-write', 'display-capture', 'encrypted-media', 'fullscreen', 'gamepad'],
    ...['geolocation', 'gyroscope', 'hid', 'identity-credentials-get', 'idle-detection'],
    ...['local-fonts', 'magnetometer', 'microphone', 'midi', 'otp-credentials', 'payment'],
    ...['picture-in-picture', 'publickey-credentials-create', 'publickey-credentials-get'],
    ...['screen-wake-lock', 'serial', 'storage-access', 'usb', 'window-management'],
    'xr-spatial-tracking',
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
    /** Readers ask each time, so that making a page private bites at once. */
    publicPage: { 'cache-control': 'public, no-cache' },
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
