/**
 * Turns a diagram's source into SVG. Runs in a sandboxed frame with an opaque origin and no
 * network, so that a hostile diagram can do no harm.
 */
import mermaid from '../../../../vendor/mermaid/mermaid.js';
import type { Colours, DrawReply, DrawRequest, Ready } from './diagram-messages.ts';

// The result is shown as an image, and images can't load fonts, so Mermaid must use system fonts.
const FONT = 'ui-sans-serif, system-ui, sans-serif';

addEventListener('message', async (event: MessageEvent<DrawRequest>) => {
  if (event.source !== parent) return;
  const { id } = event.data;
  try {
    reply({ id, ...(await draw(event.data)) });
  } catch (error) {
    reply({ id, error: error instanceof Error ? error.message : String(error) });
  }
});
reply({ ready: true });

function reply(message: DrawReply | Ready): void {
  // A frame with an opaque origin can't know its parent's origin. The picture is no secret from it.
  parent.postMessage(message, '*');
}

async function draw({ id, source, dark, colours }: DrawRequest) {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    htmlLabels: false,
    // The page sends shorter sources. This is a second check.
    maxTextSize: 50_000,
    maxEdges: 300,
    suppressErrorRendering: true,
    // Keys that a diagram's own `%%{init}%%` or front matter can't change.
    secure: [
      'secure',
      'securityLevel',
      'startOnLoad',
      'maxTextSize',
      'maxEdges',
      'suppressErrorRendering',
      'htmlLabels',
      'themeCSS',
      'fontFamily',
    ],
    fontFamily: FONT,
    fontSize: 14,
    theme: 'base',
    themeVariables: themeVariables(dark, colours),
    gantt: {
      useWidth: 700,
      fontSize: 13,
      sectionFontSize: 13,
      barHeight: 24,
      barGap: 6,
      leftPadding: 90,
      axisFormat: '%d %b',
    },
    sequence: { width: 120, height: 44, actorMargin: 60 },
  });

  const { svg } = await mermaid.render(`diagram-${id}`, source, document.body);
  // Mermaid serialises as HTML; an image needs well-formed XML.
  const holder = document.createElement('div');
  holder.innerHTML = svg;
  const picture = holder.querySelector('svg');
  if (!picture) throw new Error('Nothing was drawn.');
  const { width, height } = picture.viewBox.baseVal;
  picture.setAttribute('width', String(width));
  picture.setAttribute('height', String(height));
  picture.style.maxWidth = '';
  // Axes inherit the surrounding text color, which an image does not have.
  picture.style.color = colours['line-strong'];
  return {
    svg: new XMLSerializer().serializeToString(picture),
    width,
    height,
    title: picture.querySelector(':scope > title')?.textContent ?? '',
  };
}

function themeVariables(dark: boolean, colours: Colours): Record<string, string | boolean> {
  return {
    darkMode: dark,
    fontFamily: FONT,
    fontSize: '14px',
    background: colours.paper,
    textColor: colours.ink,
    titleColor: colours.ink,
    primaryColor: colours.surface,
    primaryTextColor: colours.ink,
    primaryBorderColor: colours['line-strong'],
    secondaryColor: colours['accent-surface'],
    secondaryTextColor: colours.ink,
    tertiaryColor: colours.paper,
    tertiaryTextColor: colours.ink,
    tertiaryBorderColor: colours.line,
    lineColor: colours['ink-soft'],
    edgeLabelBackground: colours.paper,
    noteBkgColor: colours['alert-warning-surface'],
    noteTextColor: colours.ink,
    noteBorderColor: colours['line-strong'],
    // Gantt
    sectionBkgColor: colours.surface,
    altSectionBkgColor: colours.paper,
    sectionBkgColor2: colours.surface,
    gridColor: colours.line,
    taskBkgColor: colours['accent-surface'],
    taskBorderColor: colours.accent,
    taskTextColor: colours.ink,
    taskTextDarkColor: colours.ink,
    taskTextLightColor: colours.ink,
    taskTextOutsideColor: colours.ink,
    taskTextClickableColor: colours.accent,
    activeTaskBkgColor: colours['accent-surface'],
    activeTaskBorderColor: colours.accent,
    doneTaskBkgColor: colours.surface,
    doneTaskBorderColor: colours['line-strong'],
  };
}
