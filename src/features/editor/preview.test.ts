import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { PNG } from '../../../test/files/samples.ts';
import { assertError, type Service, startService } from '../../../test/harness.ts';
import { newVisitor } from '../../../test/sign-in/visitor.ts';
import { assertFieldRefused } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { FIXED_LIMITS } from '../../base/limits/rate-limit.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { FILE_LIMIT_BYTES } from '../files/file-service.ts';

const JSON_ONLY = { accept: 'application/json' };

function fileForm(name: string, bytes: string | Uint8Array<ArrayBuffer>, type: string): FormData {
  const form = new FormData();
  form.append('file', new Blob([bytes], { type }), name);
  return form;
}

describe('Requests of the editor', () => {
  let service: Service;
  let ada: Person;

  before(async () => {
    service = await startService();
    ada = await makePerson(service, 'ada');
  });
  after(() => service.stop());

  function preview(content: string, who: Person = ada) {
    const form = new FormData();
    form.append('content', content);
    return who.visitor.post('/preview', form, JSON_ONLY);
  }

  it('a field declared as JSON is not parsed', async () => {
    const head = 'content-disposition: form-data; name="content"\r\ncontent-type: application/json';
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const body = new Blob([`--B\r\n${head}\r\n\r\n${deep}\r\n--B--\r\n`]);
    const type = 'multipart/form-data; boundary=B';
    const answer = await ada.visitor.post('/preview', body, { ...JSON_ONLY, 'content-type': type });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(JSON.parse(answer.text).html, '');
  });

  it('need a sign-in and must come from a screen of this host', async () => {
    for (const path of ['/preview', '/uploads']) {
      assertError(
        await newVisitor(service).post(path, new FormData(), JSON_ONLY),
        401,
        'UNAUTHORIZED',
      );
      const elsewhere = { ...JSON_ONLY, origin: 'https://elsewhere.example' };
      const answer = await ada.visitor.post(path, new FormData(), elsewhere);
      assertError(answer, 403, 'FORBIDDEN');
    }
  });

  it('previews have the same Markdown rendering, with source lines', async () => {
    const content =
      '# Title\n\nText with $x$.\n\n```mermaid\nflowchart LR\n```\n<script>alert(1)</script>\n';
    const answer = await preview(content);
    assert.equal(answer.status, 200, answer.text);
    const { html, headings, math, diagrams } = answer.json;
    assert.deepEqual([headings[0].text, math, diagrams], ['Title', true, true]);
    assert.match(html, /<h1 data-line="1"/);
    assert.match(html, /<p data-line="3"/);
    assert.doesNotMatch(html, /script/);

    await ada.client.post('/user/briefs', { name: 'same', content, visibility: 'public' });
    const published = await newVisitor(service).get('/ada/same');
    assert.ok(
      published.text.includes(html.replace(/ data-line="\d+"/g, '')),
      'the very same article',
    );
  });

  it('a text that is too costly has no preview', async () => {
    const answer = await preview(`${'> '.repeat(60)}deep`);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, { html: null });
  });

  it('the largest brief has a preview', async () => {
    const paragraph = `${'word '.repeat(15)}word\n\n`;
    const { contentLimitBytes } = KINDS.brief;
    const content = paragraph
      .repeat(contentLimitBytes / paragraph.length)
      .padEnd(contentLimitBytes);
    const answer = await preview(content);
    assert.equal(answer.status, 200, answer.text.slice(0, 200));
    assert.ok(answer.json.html.length > contentLimitBytes);
  });

  it('are limited per account', async () => {
    const grace = await makePerson(service, 'grace');
    const { count } = FIXED_LIMITS.webPreview;
    for (let done = 0; done < count; done++) {
      const { status } = await grace.visitor.post('/preview', new FormData(), JSON_ONLY);
      assert.equal(status, 200);
    }
    const form = new FormData();
    form.append('content', 'x');
    assertError(await grace.visitor.post('/preview', form, JSON_ONLY), 429, 'RATE_LIMITED');
    assert.equal((await preview('x')).status, 200, 'somebody else’s go on');
  });

  it('an upload stores a file and returns its address', async () => {
    const form = fileForm('a cat.png', new Uint8Array(PNG), 'image/png');
    const answer = await ada.visitor.post('/uploads', form, JSON_ONLY);
    assert.equal(answer.status, 201, answer.text);
    const { name, url, contentType } = answer.json;
    assert.deepEqual([name, contentType], ['a cat.png', 'image/png']);
    const fetched = await fetch(url);
    assert.deepEqual(Buffer.from(await fetched.arrayBuffer()), Buffer.from(PNG));
    assert.equal((await ada.client.get('/user/files')).data[0].name, 'a cat.png');
  });

  it('an upload refuses non-files, forbidden types and large files', async () => {
    const before = (await ada.client.get('/user/files')).data.length;
    const large = new Uint8Array(FILE_LIMIT_BYTES + 1).fill(0x61);
    const two = fileForm('a.txt', 'a', 'text/plain');
    two.append('file', new Blob(['b']), 'b.txt');
    const cases: [FormData, number, string][] = [
      [new FormData(), 400, 'BAD_REQUEST'],
      [two, 400, 'BAD_REQUEST'],
      [
        fileForm('a.exe', new Uint8Array([0x4d, 0x5a, 0, 1]), 'application/x-msdownload'),
        422,
        'UNPROCESSABLE',
      ],
      [fileForm('a.txt', large, 'text/plain'), 413, 'PAYLOAD_TOO_LARGE'],
    ];
    for (const [form, status, code] of cases) {
      const answer = await ada.visitor.post('/uploads', form, JSON_ONLY);
      assertFieldRefused(answer, { status, code, field: 'file' });
    }
    assert.equal((await ada.client.get('/user/files')).data.length, before);
  });
});
