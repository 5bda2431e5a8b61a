import type { JSX } from 'preact';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Icon } from '../../surfaces/web/pages/icons.tsx';

/** What a page can do after a click, which stays on the device. */
const ALLOWED = 'clipboard-write; fullscreen';

/**
 * Renders a user's HTML in a frame, whose sandbox repeats the render host's. Never add
 * `allow-same-origin`.
 */
export function SandboxFrame(props: { site: Site; title: string; source: string }): JSX.Element {
  const { site, title, source } = props;
  return (
    <>
      <iframe
        class="page-frame"
        src={source}
        title={title}
        sandbox="allow-scripts allow-forms allow-modals allow-downloads"
        allow={ALLOWED}
        referrerpolicy="no-referrer"
      />
      <script type="module" src={site.assets.url('page-frame.js')} />
    </>
  );
}

/** Says in the bar that a sandbox runs the HTML, and whose it is. */
export function SandboxNote({ owner }: { owner: string }): JSX.Element {
  return (
    <span class="sandbox-note" title={`Made by ${owner}. It runs in a sandbox.`}>
      <Icon name="shield" />
      <span class="label">Runs in a sandbox</span>
    </span>
  );
}
