import { documentPath } from '../../surfaces/web/addresses.ts';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { renderLayout } from '../../surfaces/web/pages/layout.tsx';
import { Trail } from '../../surfaces/web/pages/trail.tsx';
import { BeingPrepared } from './article.tsx';

export interface SlidesPage {
  owner: string;
  name: string;
  title: string;
  /** Whether the slides are still being made. */
  isLate: boolean;
  /** The sanitized body of each slide; undefined if the document is too complex to render, or late. */
  slides: string[] | undefined;
  math: boolean;
  /** Where the brief is read, and where presenting ends. */
  readPath: string;
}

/** Renders a brief as slides, one below the other. A script adds keys and full screen. */
export function renderSlidesPage(site: Site, page: SlidesPage): string {
  const { owner, name, title, isLate, slides, readPath } = page;
  return renderLayout({
    site,
    title: `${title} · ${owner}`,
    description: `Slides by ${owner} on ${site.face.name}.`,
    stylesheets: page.math ? ['slides.css', 'math.css'] : ['slides.css'],
    scripts: ['slides.js'],
    head: <meta name="robots" content="noindex" />,
    skipTo: 'Skip to the slides',
    framed: true,
    trail: <Trail owner={owner} name={name} title={title} />,
    accountActions: (
      <>
        <button
          type="button"
          class="action needs-script"
          data-action="full-screen"
          title="Full screen (f)"
        >
          <Icon name="maximize" />
          <span class="label">Full screen</span>
        </button>
        <a class="action" href={readPath} title="Back to the brief (Escape)" data-leave>
          <Icon name="x" />
          <span class="label">Close</span>
        </a>
      </>
    ),
    children:
      slides === undefined && isLate ? (
        <BeingPrepared />
      ) : slides === undefined ? (
        <p class="notice">This document is too complex to present. Read it instead.</p>
      ) : (
        <section class="slides" aria-label="Slides">
          {!slides.some((html) => html.includes('<h1')) && <h1 class="visually-hidden">{title}</h1>}
          {slides.map((html, index) => (
            <Slide html={html} number={index + 1} of={slides.length} />
          ))}
        </section>
      ),
  });
}

function Slide({ html, number, of }: { html: string; number: number; of: number }) {
  return (
    <section class="slide" id={String(number)} aria-label={`Slide ${number} of ${of}`}>
      <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />
      <p class="slide-number" aria-hidden="true">
        {number} / {of}
      </p>
    </section>
  );
}

/** Renders the link from a brief to its slides. */
export function PresentLink({ owner, name }: { owner: string; name: string }) {
  const path = documentPath('present', { kind: 'brief', ownerNamespace: owner, name });
  return (
    <a class="action present" href={path} title="Present as slides">
      <Icon name="presentation" />
      <span class="label">Present</span>
    </a>
  );
}
