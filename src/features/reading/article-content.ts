import type { RenderedMarkdown } from '../../base/markdown/render.ts';
import type { RenderOutcome } from '../../base/markdown/render-threads.ts';
import type { ArticleContent } from './article.tsx';

/** Returns what screens show of a brief: its Markdown and name if it can't be rendered. */
export function articleContent(
  outcome: RenderOutcome<RenderedMarkdown>,
  brief: { name: string; source: string },
): ArticleContent {
  const rendered = outcome.kind === 'rendered' ? outcome.result : undefined;
  return {
    title: rendered?.title ?? brief.name,
    html: rendered?.html,
    isLate: outcome.kind === 'busy',
    source: brief.source,
    headings: rendered?.headings ?? [],
    math: rendered?.math ?? false,
    minutes: rendered?.minutes,
  };
}
