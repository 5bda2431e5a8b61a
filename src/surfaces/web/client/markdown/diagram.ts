/**
 * Turns a diagram's source into SVG. Runs in a sandboxed frame with an opaque origin and no
 * network, so that a hostile diagram can do no harm.
 */
import mermaid from '../../../../../vendor/mermaid/mermaid.js';
import type { Colours, DrawReply, DrawRequest, Ready } from './diagram-messages.ts';

// The result is shown as an image, and images can't load fonts, so Mermaid must use system fonts.
const FONT = 'ui-sans-serif, system-ui, sans-serif';

addEventListener('message', async (event: MessageEvent<DrawRequest>) => {
  if (event.source !== parent) return;
  const { id } = event.data;
  try {
    reply({ id, ...(await draw(event.data)) });
  } catch (error) {
    // No mistake of the author: a bug here or in Mermaid.
    const isFault = error instanceof TypeError || error instanceof ReferenceError;
    if (isFault) console.error(error);
    const reason = error instanceof Error ? error.message : String(error);
    reply({ id, error: isFault ? 'the program that draws it failed.' : reason });
  }
});
reply({ ready: true });

function reply(message: DrawReply | Ready): void {
  // A frame with an opaque origin can't know its parent's origin. The picture is no secret from it.
  parent.postMessage(message, '*');
}

async function draw({ id, source, dark, colours, series }: DrawRequest) {
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
    themeVariables: themeVariables(dark, colours, series),
    themeCSS: themeCss(colours),
    c4: c4Fills(colours.accent),
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

  // Mermaid cleans labels after it has parsed them, and the policy reports their handlers by then.
  const quiet = source.replace(/<[a-z][^>]*>/gi, (tag) =>
    tag.replace(/([\s"'/])(on\w+)(?=\s*=)/gi, '$1data-$2'),
  );
  const { svg } = await mermaid.render(`diagram-${id}`, quiet, document.body);
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
  const kind = picture.getAttribute('aria-roledescription') ?? '';
  if (kind === 'sankey') recolourSankey(picture, series);
  if (kind === 'c4') recolourRelations(picture, colours);
  for (const node of picture.querySelectorAll<SVGElement>('.node'))
    makeLegible(node, kind === 'c4');
  return {
    svg: new XMLSerializer().serializeToString(picture),
    width,
    height,
    title: picture.querySelector(':scope > title')?.textContent ?? '',
  };
}

/** Numbered variables of Mermaid's themes, which it uses for the parts of a diagram in turn. */
const NUMBERED = 12;

function c4Fills(fill: string): Record<string, string> {
  const kinds = ['person', 'system', 'container', 'component'];
  const names = kinds.flatMap((kind) => [kind, `${kind}_db`, `${kind}_queue`]);
  return Object.fromEntries(
    names.flatMap((name) => [
      [`${name}_bg_color`, fill],
      [`${name}_border_color`, fill],
    ]),
  );
}

/** No setting changes the colours of a Sankey diagram. */
function recolourSankey(picture: SVGElement, series: readonly string[]): void {
  for (const [index, node] of picture.querySelectorAll('.nodes rect').entries()) {
    const from = node.getAttribute('fill');
    const to = series[index % series.length] as string;
    node.setAttribute('fill', to);
    for (const stop of picture.querySelectorAll(`stop[stop-color="${from}"]`)) {
      stop.setAttribute('stop-color', to);
    }
  }
}

/** Nor those of what C4 draws between its boxes. */
function recolourRelations(picture: SVGElement, colours: Colours): void {
  for (const line of picture.querySelectorAll('line, path[stroke]')) {
    line.setAttribute('stroke', colours['ink-soft']);
  }
  for (const text of picture.querySelectorAll('text[fill]')) text.setAttribute('fill', colours.ink);
}

/**
 * Writes in black or white on a node that has the author's own fill but not their own text colour.
 *
 * @param isForced whether the text's colour isn't the author's either
 */
function makeLegible(node: SVGElement, isForced: boolean): void {
  const shapes = [...node.children, ...node.querySelectorAll('.label-container > *')];
  const shape = shapes.find((part) => part instanceof SVGElement && part.style.fill !== '');
  const channels = channelsOf((shape as SVGElement | undefined)?.style.fill ?? '');
  if (channels.length !== 3) return;
  const [red, green, blue] = channels.map((value) =>
    value <= 10 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  ) as [number, number, number];
  // WCAG 2.2, "relative luminance"; at this one, black and white have the same contrast.
  const isLight = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
  for (const text of node.querySelectorAll<SVGElement>('.label text, .label tspan')) {
    if (text.style.fill !== '' && !isForced) continue;
    text.style.setProperty('fill', isLight ? 'black' : 'white', isForced ? 'important' : '');
  }
}

/** Mixes a colour with paper, so that it stands out from paper and ink at 3:1. */
function middle(dark: boolean, colours: Colours): string {
  const share = dark ? 0.6 : 0.66;
  const [over, under] = [colours.accent, colours.paper].map(channelsOf) as [number[], number[]];
  return hexOf(over.map((value, index) => value * share + (under[index] as number) * (1 - share)));
}

const channelsOf = (colour: string) => (colour.match(/\d+/g) ?? []).map(Number);

/** Some lists of colours are separated by commas, which computed colours have too. */
const hexOf = (channels: readonly number[]) =>
  `#${channels.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;

/** What the variables don't reach. */
function themeCss(colours: Colours): string {
  return `
    .face { stroke: ${colours['ink-soft']}; }
    .node-labels text { fill: ${colours.ink}; opacity: 1; }
    .mindmap-node > circle ~ .label text { text-anchor: middle; }
    .timeline-node line, .lineWrapper line { stroke: ${colours['ink-soft']}; }
  `;
}

function themeVariables(
  dark: boolean,
  colours: Colours,
  series: readonly string[],
): Record<string, unknown> {
  const numbered: Record<string, string> = {};
  for (let index = 0; index < NUMBERED; index += 1) {
    const colour = series[index % series.length] as string;
    Object.assign(numbered, {
      [`cScale${index}`]: colour,
      [`cScalePeer${index}`]: colour,
      [`cScaleInv${index}`]: colours['ink-soft'],
      [`cScaleLabel${index}`]: colours.paper,
      [`pie${index + 1}`]: colour,
      [`git${index}`]: colour,
      [`gitInv${index}`]: colours.paper,
      [`gitBranchLabel${index}`]: colours.paper,
      [`fillType${index}`]: colours.surface,
      [`actor${index}`]: colour,
    });
  }
  const plots = [middle(dark, colours), ...[colours.ink, ...series].map(channelsOf).map(hexOf)];
  return {
    ...numbered,
    clusterBkg: colours.paper,
    clusterBorder: colours['line-strong'],
    commitLabelColor: colours.ink,
    commitLabelBackground: colours.surface,
    tagLabelColor: colours.ink,
    tagLabelBackground: colours.surface,
    tagLabelBorder: colours['line-strong'],
    faceColor: colours.paper,
    pieTitleTextColor: colours.ink,
    pieLegendTextColor: colours.ink,
    pieSectionTextColor: colours.paper,
    pieStrokeColor: colours.paper,
    pieOuterStrokeColor: colours.paper,
    pieOpacity: '1',
    quadrant1Fill: colours.surface,
    quadrant2Fill: colours.paper,
    quadrant3Fill: colours.surface,
    quadrant4Fill: colours.paper,
    quadrantPointFill: colours.accent,
    quadrantPointTextFill: colours.ink,
    quadrantInternalBorderStrokeFill: colours['line-strong'],
    quadrantExternalBorderStrokeFill: colours['line-strong'],
    xyChart: {
      backgroundColor: 'transparent',
      plotColorPalette: plots.join(','),
      titleColor: colours.ink,
      ...Object.fromEntries(
        ['xAxis', 'yAxis'].flatMap((axis) => [
          [`${axis}LabelColor`, colours.ink],
          [`${axis}TitleColor`, colours.ink],
          [`${axis}TickColor`, colours['ink-soft']],
          [`${axis}LineColor`, colours['ink-soft']],
        ]),
      ),
    },
    radar: { axisColor: colours['line-strong'], graticuleColor: colours['line-strong'] },
    packet: {
      startByteColor: colours.ink,
      endByteColor: colours.ink,
      labelColor: colours.ink,
      titleColor: colours.ink,
      blockStrokeColor: colours['line-strong'],
      blockFillColor: colours.surface,
    },
    archEdgeColor: colours['ink-soft'],
    archEdgeArrowColor: colours['ink-soft'],
    archGroupBorderColor: colours['line-strong'],
    activationBkgColor: colours['accent-surface'],
    activationBorderColor: colours.accent,
    labelBoxBorderColor: colours['line-strong'],
    sequenceNumberColor: colours.paper,
    critBkgColor: colours['alert-caution-surface'],
    critBorderColor: colours['alert-caution'],
    todayLineColor: colours['alert-caution'],
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
