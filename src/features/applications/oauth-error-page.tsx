import { hash } from 'node:crypto';
import { renderToString } from 'preact-render-to-string';

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 34rem; margin: 18vh auto 0; padding: 0 1.5rem; font: 1rem/1.6 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; }
p { overflow-wrap: anywhere; }
.code { opacity: 0.7; font-size: 0.875rem; }
`;

/** Allows this page's style and nothing else. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Messages for common errors. Others show the library's description. */
const MESSAGES: Record<string, string> = {
  invalid_client: 'The app that sent you here is not registered with this service.',
  invalid_redirect_uri:
    'The app wants to send you to an address that it has not registered with this service.',
};

/** Renders the page for a failed authorization request. It has no links. */
export function renderErrorPage({ error, description }: { error: string; description: string }): {
  html: string;
  headers: Record<string, string>;
} {
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>Can’t connect this app — Briefs</title>
        <style dangerouslySetInnerHTML={{ __html: STYLE }} />
      </head>
      <body>
        <main>
          <h1>Can’t connect this app</h1>
          <p>{MESSAGES[error] ?? description}</p>
          <p>
            Nothing was shared. Go back to the app and connect again. If you see this page again,
            send its text to the app’s developers.
          </p>
          <p class="code">{error}</p>
        </main>
      </body>
    </html>,
  );
  return {
    html: `<!doctype html>${html}`,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
    },
  };
}
