import { strict as assert } from 'node:assert';
import { constants } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { BackEndUnavailable } from '../base/errors.ts';
import { toDiskError } from './disk-failure.ts';

describe('Errors of a failing disk', () => {
  const { errno } = constants;

  it('are distinguished from other file errors', () => {
    for (const name of ['EIO', 'ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EMFILE'] as const) {
      const error = Object.assign(new Error(name), { errno: -errno[name] });
      const told = toDiskError(error);
      assert.ok(told instanceof BackEndUnavailable, name);
      assert.equal(told.cause, error);
    }
    for (const name of ['ENOENT', 'EACCES', 'EISDIR', 'ECONNRESET'] as const) {
      const error = Object.assign(new Error(name), { errno: -errno[name] });
      assert.equal(toDiskError(error), error, name);
    }
  });

  it('are distinguished from other SQLite errors', () => {
    // FULL, IOERR_WRITE, IOERR_FSYNC, CANTOPEN, READONLY_DIRECTORY
    for (const errcode of [13, 778, 1034, 14, 1544]) {
      const error = Object.assign(new Error('refused'), { errcode });
      assert.ok(toDiskError(error) instanceof BackEndUnavailable, `${errcode}`);
    }
    const database = new DatabaseSync(':memory:');
    database.exec('create table t (a unique, b check (b > 0)); insert into t values (1, 1)');
    for (const statement of ['insert into t values (1, 1)', 'insert into t values (2, 0)', 'x']) {
      assert.throws(
        () => database.exec(statement),
        (error) => toDiskError(error) === error,
      );
    }
    database.close();
  });
});
