import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Service } from '../harness.ts';
import { IN_BROWSER, openStage } from '../in-browser.ts';
import { type Counter, startCounter } from '../render/browser.ts';
import { setTrap } from './trap.ts';

const IMAGE = '<img src=EVIL/x onerror=alert(1)>';

/** One diagram of each kind, because each has its own grammar and renderer. */
const DIAGRAMS: Record<string, string> = {
  flowchart: `%%{init: {"securityLevel": "loose"}}%%\nflowchart LR\n  A["${IMAGE}"] --> B\n  click A "javascript:alert(1)"`,
  'a call':
    'flowchart LR\n  A --> B\n  click A call alert("1")\n  click B href "javascript:alert(1)" _top',
  sequence: `sequenceDiagram\n  participant A as ${IMAGE}\n  link A: x @ javascript:alert(1)\n  links A: {"x": "javascript:alert(1)"}\n  A->>A: ${IMAGE}`,
  class: `classDiagram\n  class A["${IMAGE}"]\n  click A href "javascript:alert(1)"\n  link A "javascript:alert(1)"\n  callback A "alert"`,
  state: `stateDiagram-v2\n  A : ${IMAGE}\n  A --> B : ${IMAGE}\n  click A href "javascript:alert(1)"`,
  gantt: `gantt\n  title ${IMAGE}\n  section ${IMAGE}\n  x :a, 2026-01-01, 1d\n  click a href "javascript:alert(1)"\n  click a call alert(1)`,
  er: `erDiagram\n  "${IMAGE}" ||--o{ B : "${IMAGE}"`,
  journey: `journey\n  title ${IMAGE}\n  section ${IMAGE}\n    ${IMAGE}: 5: ${IMAGE}`,
  pie: `pie title ${IMAGE}\n  "${IMAGE}" : 1`,
  mindmap: `mindmap\n  root((${IMAGE}))\n    ::icon(fa fa-book" onload="alert(1))`,
  gitgraph: `gitGraph\n  commit id: "${IMAGE}" tag: "${IMAGE}"`,
  timeline: `timeline\n  title ${IMAGE}\n  2026 : ${IMAGE}`,
  quadrant: `quadrantChart\n  title ${IMAGE}\n  "${IMAGE}": [0.3, 0.6]`,
  sankey: `sankey-beta\n"${IMAGE}",b,1`,
  block: `block-beta\n  a["${IMAGE}"]\n  style a fill:url(EVIL/x)`,
  'front matter': `---\ntitle: "${IMAGE}"\nconfig:\n  securityLevel: loose\n  themeCSS: "@import url(EVIL/x);"\n---\nflowchart LR\n  A --> B`,
  prototype:
    '%%{init: {"__proto__": {"securityLevel": "loose"}, "constructor": {"prototype": {"x": 1}}}}%%\nflowchart LR\n  A --> B',
  'an end of its element': `flowchart LR\n  A["</code></pre><script>alert(1)</script>${IMAGE}"]`,
};

const FORMULAS = [
  '\\href{javascript:alert(1)}{x}',
  '\\url{javascript:alert(1)}',
  '\\href{data:text/html,<script>alert(1)</script>}{x}',
  '\\includegraphics{EVIL/x}',
  '\\class{x" onmouseover="alert(1)}{x}',
  '\\style{background:url(EVIL/x)}{x}',
  '\\htmlId{x" onload="alert(1)}{x} \\htmlStyle{background:url(EVIL/x)}{x} \\htmlData{x=y}{x}',
  `\\text{${IMAGE}}`,
  `\\text{</math>${IMAGE}}`,
  `\\text{</annotation></semantics></math>${IMAGE}}`,
  `\\textcolor{red"onclick="alert(1)}{x} \\colorbox{url(EVIL/x)}{x}`,
  '\\def\\a#1{\\href{#1}{x}}\\a{javascript:alert(1)}',
  '\\begin{matrix}\\href{javascript:alert(1)}{x}\\end{matrix}',
  '\\tag{\\href{javascript:alert(1)}{x}}x',
  `\\label{x" onfocus="alert(1)" autofocus="}x\\ref{x}`,
  `\\operatorname{${IMAGE}} \\mathrm{${IMAGE}} \\verb|${IMAGE}|`,
];

describe('Hostile diagrams and math', IN_BROWSER, () => {
  let service: Service;
  let browser: Browser;
  let counter: Counter;
  let own: string[];

  after(() => counter?.close());
  openStage({}, async (stage) => {
    ({ service, browser } = stage);
    counter = await startCounter();
    own = [service.webUrl, service.renderUrl];
  });

  async function publish(name: string, content: string): Promise<string> {
    const ada = await service.user(`ada-${name}`);
    const evil = content.replaceAll('EVIL', counter.origin);
    const answer = await ada.post('/user/briefs', { name, content: evil });
    assert.equal(answer.status, 201, answer.text);
    return `${service.webUrl}/ada-${name}/${name}`;
  }

  it('in diagrams of every kind run no script, open no address and load nothing', async () => {
    const sources = Object.values(DIAGRAMS);
    const fences = sources.map((source) => `\`\`\`mermaid\n${source}\n\`\`\``);
    const url = await publish('diagrams', fences.join('\n\n'));
    const trap = await setTrap(browser, own);
    // They are drawn as they come into view.
    await trap.page.setViewportSize({ width: 1_000, height: 20_000 });
    await trap.open(url);
    const settled = trap.page.locator('.diagram img, .diagram-note');
    await settled.nth(sources.length - 1).waitFor({ timeout: 60_000 });
    const drawn = trap.page.locator('.diagram img');
    assert.ok((await drawn.count()) >= 8, `${await drawn.count()} are drawn`);
    for (const image of await drawn.all()) await image.click();
    await trap.provoke();
    assert.equal(trap.page.url(), url);
    assert.deepEqual(trap.sprung, []);
    assert.deepEqual(counter.of('x'), []);
    await trap.context.close();
  });

  it('in formulas of every kind run no script, open no address and load nothing', async () => {
    const all = FORMULAS.flatMap((tex) => [
      `$${tex}$`,
      `$$\n${tex}\n$$`,
      `\`\`\`math\n${tex}\n\`\`\``,
    ]);
    const url = await publish('formulas', [...all, '$x^2$'].join('\n\n'));
    const trap = await setTrap(browser, own);
    await trap.open(url);
    assert.ok((await trap.page.locator('math').count()) > 5);
    // A reference can only lead to a place in the same document.
    const elsewhere = 'math [href]:not([href^="#user-content-"]), math [style], math img';
    assert.equal(await trap.page.locator(elsewhere).count(), 0);
    assert.deepEqual(trap.sprung, []);
    assert.deepEqual(counter.of('x'), []);
    await trap.context.close();
  });
});
