import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { assertError, startService } from '../../../test/harness.ts';

/** A document, and the name generated from it. */
const NAMED: Record<string, [html: string, name: string]> = {
  'the title': ['<title>From the title</title><h1>Heading</h1>', 'from-the-title'],
  'a title after a heading': ['<h1>Heading</h1><title>Late title</title>', 'late-title'],
  'the first of two titles': ['<title>One title</title><title>Two</title>', 'one-title'],
  'the first heading': ['<p>x</p><h3>Third level</h3><h1>First level</h1>', 'third-level'],
  'h6, and not h7': ['<h7>Seven</h7><h6>Six</h6>', 'six'],
  'capital tags': ['<TITLE>Capital tags</TITLE>', 'capital-tags'],
  'an empty title': ['<title></title><h1>Below the empty</h1>', 'below-the-empty'],
  'a blank title': ['<title> \n\t </title><h2>Below the blank</h2>', 'below-the-blank'],
  'an empty heading': ['<h1></h1><h2>Second try</h2>', 'second-try'],
  entities: ['<title>Salt &amp; Pepper&#x21; caf&eacute;</title>', 'salt-pepper-café'],
  'markup in a heading': ['<h1>Plain <em>and <b>bold</b></em></h1>', 'plain-and-bold'],
  'markup in a title is text': ['<title>a <b>tag</b></title>', 'a-btagb'],
  'a comment in a heading': ['<h1>With<!-- no --> comment</h1>', 'with-comment'],
  'a script in a heading': ['<h1>Script<script>no()</script>ed</h1>', 'scripted'],
  'a title in svg': ['<svg><title>Drawing</title></svg><h1>Not drawn</h1>', 'not-drawn'],
  'a title after an empty svg': ['<svg/><title>After empty svg</title>', 'after-empty-svg'],
  'a heading in svg': ['<svg><foreignObject><h1>In</h1></foreignObject></svg><h1>Out</h1>', 'out'],
  'a title in math': ['<math><title>Sum</title></math><h1>Not summed</h1>', 'not-summed'],
  'a title in a comment': ['<!-- <title>Hidden</title> --><h1>Shown</h1>', 'shown'],
  'a title in a script': ['<script>"<title>no</title>"</script><h1>Scripts</h1>', 'scripts'],
  'a title in a style': ['<style>/*<title>no</title>*/</style><h1>Styles</h1>', 'styles'],
  'a title in a template': ['<template><title>T</title></template><h1>Made</h1>', 'made'],
  'a heading in a template': ['<template><h1>T</h1></template><h2>Stamped</h2>', 'stamped'],
  'a title in a textarea': ['<textarea><title>T</title></textarea><h1>Typed</h1>', 'typed'],
  'a title in noscript': ['<noscript><title>T</title></noscript><h1>Ran</h1>', 'ran'],
  'a title in an iframe': ['<iframe><title>T</title></iframe><h1>Framed</h1>', 'framed'],
  'a title in an attribute': ['<p title="<title>T</title>">x</p><h1>Said</h1>', 'said'],
  'a title attribute in the way': ['<title lang="</title>">Spoken</title>', 'spoken'],
  'an unclosed title': ['<title>Never closed', 'never-closed'],
  'an unclosed heading': ['<h1>Left open', 'left-open'],
  'a byte order mark': ['\u{FEFF}<title>Marked</title>', 'marked'],
  'other scripts': ['<title>Größe 東京 १२</title>', 'größe-東京-१२'],
  'characters that names lack': ['<title>A/B: "C" <D> — 100%</title>', 'ab-c-d-100'],
  'a name that would end in .html': ['<title>index.html</title>', 'index'],
  'a long title': [`<title>${'long '.repeat(60)}</title>`, 'long-'.repeat(20).slice(0, -1)],
};

const UNNAMED: Record<string, string> = {
  nothing: '',
  'text alone': 'no markup at all',
  'empty ones': '<title></title><h1> </h1>',
  'nothing that a name may have': '<title>!!!???</title>',
  'dots alone': '<title>..</title>',
  'nested out of all reason': `${'<div>'.repeat(200_000)}<h1>Deep</h1>`,
};

describe('Generated page names', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');

  for (const [what, [html, name]] of Object.entries(NAMED)) {
    it(`from ${what}: ${name.slice(0, 30)}`, async () => {
      const created = await ada.post('/user/pages', { html });
      assert.equal(created.status, 201, created.text);
      assert.equal(created.data.name, name);
      const read = await ada.get(`/pages/ada/${encodeURIComponent(name)}`);
      assert.equal(read.data.html, html);
      await ada.delete(`/pages/ada/${encodeURIComponent(name)}`);
    });
  }

  for (const [what, html] of Object.entries(UNNAMED)) {
    it(`from ${what}: untitled-…`, async () => {
      const { status, data, text } = await ada.post('/user/pages', { html });
      assert.equal(status, 201, text);
      assert.match(data.name, /^untitled-[0-9a-z]+$/);
      assert.equal((await ada.get(`/pages/ada/${data.name}`)).data.html, html);
    });
  }

  it('that is taken: 422, like a given name', async () => {
    await ada.post('/user/pages', { html: '<title>Taken</title>' });
    const again = await ada.post('/user/pages', { html: '<h1>TAKEN</h1>' });
    assertError(again, 422, 'UNPROCESSABLE', /name/);
  });

  it('don’t change on update', async () => {
    await ada.post('/user/pages', { html: '<title>Kept name</title>' });
    const { data } = await ada.patch('/pages/ada/kept-name', { html: '<title>New title</title>' });
    assert.equal(data.name, 'kept-name');
  });
});
