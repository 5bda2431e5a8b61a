import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { hashPassword, isOutdated, verifyPassword } from '../../core/identity/password.ts';
import { normalisePassword, passwordFault } from '../../core/identity/password-rules.ts';
import { countHashings } from './hashing.testing.ts';
import { suggestUsername } from './suggested-username.ts';

describe('Password hashes', async () => {
  const hashings = countHashings();
  after(() => hashings.stop());

  it('are Argon2id with salt and cost, and never the same', async () => {
    const [one, other] = [await hashPassword('walnut pie'), await hashPassword('walnut pie')];
    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.notEqual(one, other);
    assert.equal(await verifyPassword('walnut pie', one), true);
    assert.equal(await verifyPassword('walnut pie ', one), false);
    assert.equal(await verifyPassword('', one), false);
  });

  it('hashes with another cost are verified and count as outdated', async () => {
    // The reference implementation's hash of "password" with the salt "somesalt".
    const phc =
      '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    assert.equal(await verifyPassword('password', phc), true);
    assert.equal(isOutdated(phc), true);
    assert.equal(isOutdated(await hashPassword('walnut pie')), false);
  });

  it('checking costs one hash, even without a stored hash or with an impossible password', async () => {
    const phc = await hashPassword('walnut pie');
    for (const [password, hash] of [
      ['walnut pie', phc],
      ['walnut pie', null],
      ['', null],
      ['x'.repeat(100_000), phc],
      ['\u0000', phc],
    ] as const) {
      const before = hashings.count();
      assert.equal(await verifyPassword(password, hash), password === 'walnut pie' && !!hash);
      assert.equal(hashings.count() - before, 1);
    }
  });
});

describe('New passwords', () => {
  const own = ['ada', 'ada.lovelace@example.com'];
  const fault = (text: string) => passwordFault(normalisePassword(text), own);

  it('have 8 to 1,024 characters of any kind', async () => {
    for (const fine of [
      'walnut p',
      '        x',
      `${'ä'.repeat(7)}b`,
      '😀😁😂😃😄😅😆😇',
      'ab'.repeat(512),
    ]) {
      assert.equal(await fault(fine), undefined, fine);
    }
    assert.match((await fault('walnuts')) ?? '', /^must have at least 8/);
    assert.match((await fault('😀😁😂😃')) ?? '', /at least 8/);
    assert.match((await fault(`${'ab'.repeat(512)}c`)) ?? '', /at most 1024/);
    assert.match((await fault('x'.repeat(100_000))) ?? '', /at most 1024/);
    // Each has three code units before normalising, one after.
    assert.equal(await fault('\u1112\u1161\u11ab\u1100\u1173\u11af'.repeat(512)), undefined);
    assert.match((await fault(`a${'\u0300'.repeat(4_096)}`)) ?? '', /at most 1024/);
  });

  it('are not among the most common ones', async () => {
    for (const guess of ['password', 'PassWord1', '12345678', 'zzzzzzzzzz', '\uff11\uff12345678']) {
      assert.match((await fault(guess)) ?? '', /^this password is too common/, guess);
    }
    for (const name of ['ADA.Lovelace@example.com', 'ada.lovelace']) {
      assert.match((await fault(name)) ?? '', /^must not be made of your/, name);
    }
  });

  it('aren’t made of what others know, but can have it beside a password', async () => {
    const known = [
      'ada',
      'ada.lovelace@acme.example',
      'Acme Notes',
      'notes.acme.example',
      'Briefs',
    ];
    const faultOf = (text: string) => passwordFault(normalisePassword(text), known);
    for (const guess of [
      'briefs2026',
      'Br1ef$2026!',
      'acme-notes-2026',
      'ada.lovelace1!',
      'lovelaceadalovelace',
      'AcmeNotes12345678',
      'adabriefspassword1',
      'notes.acme.example',
    ]) {
      assert.match((await faultOf(guess)) ?? '', /^must not be made of your/, guess);
    }
    for (const fine of [
      'three odd walnuts',
      'briefs of odd walnuts',
      'adamantium walnut',
      'xK9#ada7%1!2',
      'correct horse battery',
    ]) {
      assert.equal(await faultOf(fine), undefined, fine);
    }
  });
});

describe('Suggested usernames', () => {
  for (const [name, suggestion] of [
    ['Ada.Lovelace', 'ada-lovelace'],
    ['ada@example.com', 'ada'],
    ['  Zoë  Müller ', 'zoe-muller'],
    ['--a__b--', 'a-b'],
    ['李', ''],
    ['', ''],
    ['@', ''],
    [`${'a'.repeat(38)}.b`, 'a'.repeat(38)],
    ['K', 'k'],
  ] as const) {
    it(`${JSON.stringify(name)} → ${JSON.stringify(suggestion)}`, () => {
      assert.equal(suggestUsername(name), suggestion);
    });
  }
});
