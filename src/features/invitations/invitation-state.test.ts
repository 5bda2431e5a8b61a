import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { decideInvite, isExpired, requireNotExpired } from './invitation-state.ts';

const EXPIRY = '2026-01-08T12:00:00.000Z';
const BEFORE = '2026-01-08T11:59:59.999Z';
const AFTER = '2026-01-08T12:00:00.001Z';
const invitation = { expiresAt: EXPIRY };

describe('isExpired', () => {
  it('is true from the moment of expiry', () => {
    assert.equal(isExpired(invitation, BEFORE), false);
    assert.equal(isExpired(invitation, EXPIRY), true);
    assert.equal(isExpired(invitation, AFTER), true);
    assert.equal(isExpired(invitation, '2027-01-01T00:00:00.000Z'), true);
    assert.equal(isExpired(invitation, '2025-12-31T23:59:59.999Z'), false);
  });
});

describe('decideInvite', () => {
  it('creates, refuses a second one, replaces an expired one', () => {
    assert.deepEqual(
      [
        decideInvite(undefined, BEFORE),
        decideInvite(invitation, BEFORE),
        decideInvite(invitation, EXPIRY),
        decideInvite(invitation, AFTER),
      ],
      ['create', 'refuse-duplicate', 'replace-expired', 'replace-expired'],
    );
  });
});

describe('requireNotExpired', () => {
  it('refuses an invitation from its expiry on', () => {
    requireNotExpired(invitation, BEFORE);
    for (const now of [EXPIRY, AFTER]) {
      assert.throws(() => requireNotExpired(invitation, now), /has expired/);
    }
  });
});
