import type { RenderedMarkdown } from '../../base/markdown/render.ts';
import type { ArticleContent } from './article.tsx';

/** Returns what screens show of a brief: its Markdown and name if there is no rendering. */
export function articleContent(
  rendered: RenderedMarkdown | undefined,
  brief: { name: string; source: string },
): ArticleContent {
  return {
    title: rendered?.title ?? brief.name,
    html: rendered?.html,
    source: brief.source,
    headings: rendered?.headings ?? [],
    math: rendered?.math ?? false,
    minutes: rendered?.minutes,
  };
}
