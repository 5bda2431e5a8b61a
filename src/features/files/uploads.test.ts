import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { PNG } from '../../../test/files/samples.ts';
import { type Answer, startService } from '../../../test/harness.ts';
import { signUp, type Visitor } from '../../../test/sign-in/visitor.ts';
import { FIXED_LIMITS } from '../../base/limits/rate-limit.ts';
import { FILE_LIMIT_BYTES } from './file-service.ts';

const PATH = '/settings/uploads';

type Sent = readonly [name: string, bytes: string | Buffer, type?: string];

function formOf(files: readonly Sent[]): FormData {
  const form = new FormData();
  for (const [name, bytes, type = 'text/plain'] of files) {
    form.append('file', new Blob([bytes as string], { type }), name);
  }
  return form;
}

/** The names that the page lists, in order. */
const listed = ({ text }: Answer) =>
  Array.from(text.matchAll(/<a class="item-title" href="[^"]+">([^<]+)<\/a>/g), ([, name]) => name);

const linkOf = ({ text }: Answer, name: string) =>
  new RegExp(`class="item-title" href="([^"]+)">${name}<`).exec(text)?.[1] ?? '';

const deletePathOf = ({ text }: Answer, name: string) =>
  new RegExp(`href="(${PATH}/[^"]+/delete)" aria-label="Delete ${name}"`).exec(text)?.[1] ?? '';

describe('Uploads in the settings', async () => {
  const service = await startService();
  after(() => service.stop());

  const upload = (visitor: Visitor, ...files: Sent[]) => visitor.post(PATH, formOf(files));

  it('several files at once are stored, listed and opened', async () => {
    const ada = await signUp(service, 'ada');
    assert.match((await ada.get(PATH)).text, /No uploads yet/);
    const { status, headers } = await upload(
      ada,
      ['notes.txt', 'Some notes.'],
      ['orbit.png', PNG, 'image/png'],
    );
    assert.deepEqual([status, headers.get('location')], [303, PATH]);
    const page = await ada.get(PATH);
    assert.match(page.text, /2 files uploaded/);
    assert.deepEqual(listed(page), ['orbit.png', 'notes.txt']);
    assert.match(page.text, /PNG image<\/span>.*Text<\/span><span>11 bytes/s);
    const image = linkOf(page, 'orbit.png');
    assert.ok(page.text.includes(`<img class="thumbnail" src="${image}"`), 'a picture of it');
    assert.ok(page.text.includes(`data-text="${image}"`), 'its link can be copied');
    assert.equal((await fetch(image)).headers.get('content-type'), 'image/png');
    assert.equal(await (await fetch(linkOf(page, 'notes.txt'))).text(), 'Some notes.');
  });

  it('a refused file is named, and doesn’t affect the others', async () => {
    const bob = await signUp(service, 'bob');
    const { status, text } = await upload(
      bob,
      ['before.txt', 'before'],
      ['page.html', '<!doctype html><p>Hello', 'text/html'],
      ['large.txt', Buffer.alloc(FILE_LIMIT_BYTES + 1, 'x')],
      ['lies.png', 'no picture', 'image/png'],
      ['after.txt', 'after'],
    );
    assert.equal(status, 422);
    const faults =
      /<ul class="fault" id="file-fault" role="alert">.*?<\/ul>/s.exec(text)?.[0] ?? '';
    assert.match(faults, /“page\.html” was not uploaded.*“large\.txt” was.*“lies\.png” was/s);
    assert.doesNotMatch(faults, /before|after/);
    assert.deepEqual(listed(await bob.get(PATH)), ['after.txt', 'before.txt']);
  });

  it('a file of exactly the largest size is accepted', async () => {
    const largest = await signUp(service, 'largest');
    const answer = await upload(largest, ['max.txt', Buffer.alloc(FILE_LIMIT_BYTES, 'x')]);
    assert.equal(answer.status, 303, answer.text);
  });

  it('a form without a file says so', async () => {
    const lin = await signUp(service, 'lin');
    for (const form of [formOf([]), formOf([['', '']])]) {
      form.append('other', 'x');
      const { status, text } = await lin.post(PATH, form);
      assert.equal(status, 422);
      assert.match(text, /id="file-fault"[^>]*><li>Choose a file first/);
    }
    assert.equal((await lin.post(PATH, { file: 'x' })).status, 400, 'no such form');
  });

  it('deleting asks for confirmation, says what follows, and ends the link', async () => {
    const carol = await signUp(service, 'carol');
    await upload(carol, ['gone.txt', 'gone']);
    const page = await carol.get(PATH);
    const [link, path] = [linkOf(page, 'gone.txt'), deletePathOf(page, 'gone.txt')];
    const asks = await carol.get(path);
    assert.match(asks.text, /<h1>Delete gone\.txt\?<\/h1>.*will show a broken/s);
    assert.equal((await fetch(link)).status, 200);
    const { status, headers } = await carol.post(path);
    assert.deepEqual([status, headers.get('location')], [303, PATH]);
    assert.equal((await fetch(link)).status, 404);
    assert.deepEqual(listed(await carol.get(PATH)), []);
    assert.equal((await carol.post(path)).status, 404);
  });

  it('others’ files are neither listed nor found', async () => {
    const [dora, eve] = [await signUp(service, 'dora'), await signUp(service, 'eve')];
    await upload(dora, ['hers.txt', 'hers']);
    const page = await dora.get(PATH);
    for (const path of [deletePathOf(page, 'hers.txt'), `${PATH}/x/delete`]) {
      assert.equal((await eve.get(path)).status, 404);
      assert.equal((await eve.post(path)).status, 404);
    }
    assert.deepEqual(listed(await eve.get(PATH)), []);
    assert.equal((await fetch(linkOf(page, 'hers.txt'))).status, 200);
  });

  it('are limited per five minutes', async () => {
    const busy = await signUp(service, 'busy');
    const { count } = FIXED_LIMITS.webUpload;
    const files = (number: number) =>
      Array.from({ length: number }, (_, index): Sent => [`${index}.txt`, 'x']);
    assert.equal((await upload(busy, ...files(count - 1))).status, 303);
    const over = await upload(busy, ['last.txt', 'x'], ['over.txt', 'x']);
    assert.equal(over.status, 422);
    assert.match(over.text, /“over\.txt” was not uploaded\. Too many attempts/);
    assert.equal(listed(await busy.get(PATH))[0], 'last.txt');
    const older = await busy.get(`${PATH}?page=3`);
    assert.equal(listed(older).length, 100);
    assert.match(older.text, /Page 3 of 3/);
  });
});
