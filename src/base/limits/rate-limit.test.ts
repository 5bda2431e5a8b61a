import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { addressKey, networkKey } from './rate-limit.ts';

describe('addressKey', () => {
  it('an IPv4 address is one client, also mapped into IPv6', () => {
    assert.equal(addressKey('192.0.2.1'), addressKey('::ffff:192.0.2.1'));
    assert.equal(addressKey('192.0.2.1'), addressKey('::FFFF:c000:0201'));
    assert.notEqual(addressKey('192.0.2.1'), addressKey('192.0.2.2'));
  });

  it('a /64 is one client', () => {
    const one = addressKey('2001:db8:1:2::1');
    assert.equal(addressKey('2001:db8:1:2:ffff:ffff:ffff:ffff'), one);
    assert.equal(addressKey('2001:0DB8:0001:0002:0000:0000:0000:0009'), one);
    assert.notEqual(addressKey('2001:db8:1:3::1'), one);
    assert.notEqual(addressKey('2001:db8:0:2::1'), one);
  });

  it('a /48 is one network; IPv4 addresses have none', () => {
    const one = networkKey('2001:db8:1:2::1');
    assert.equal(networkKey('2001:db8:1:ffff::9'), one);
    assert.notEqual(networkKey('2001:db8:2:2::1'), one);
    assert.notEqual(one, addressKey('2001:db8:1::1'));
    for (const none of ['192.0.2.1', '::ffff:192.0.2.1', 'unknown']) {
      assert.equal(networkKey(none), undefined);
    }
  });

  it('local addresses', () => {
    assert.notEqual(addressKey('::1'), addressKey('127.0.0.1'));
    assert.equal(addressKey('fe80::1%eth0'), addressKey('fe80::2%eth0'));
  });

  it('what is no address is one client, whatever it says', () => {
    const keys = ['unknown', '', '192.0.2.1:4711', '[2001:db8::1]:80', 'x'.repeat(9_000)].map(
      addressKey,
    );
    assert.equal(new Set(keys).size, 1);
    assert.notEqual(keys[0], addressKey('0.0.0.0'));
  });
});
