import type { JSX } from 'preact';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import type { Discussion } from '../comments/discussion-state.ts';
import { SandboxFrame } from '../pages/sandbox.tsx';
import { DiscussionPanel } from './discussion.tsx';

/** Renders a page in its sandbox, beside its comments. */
export function ReviewedFrame(props: {
  site: Site;
  frame: { title: string; source: string };
  discussion: Discussion;
}): JSX.Element {
  const { site, frame, discussion } = props;
  return (
    <div class="reviewed-page">
      <div class="reviewed-frame">
        {/* Takes the frame's port, so it must load first. */}
        <script src={site.assets.url('frame-port.js')} />
        <SandboxFrame site={site} {...frame} />
      </div>
      <DiscussionPanel discussion={discussion} />
    </div>
  );
}
