import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import type { OwnerType, Visibility } from '../../base/schema/visibility.ts';
import {
  allow,
  allowsVisibility,
  type DocumentAction,
  decide,
  effectiveLevel,
  LEVELS,
  type Level,
  presentPermissions,
  type Standing,
} from './access-rules.ts';

const OWNER = 'owner-id';
const SOMEBODY = 'somebody-id';

const DEFAULTS = [null, 'none', 'read', 'write'] as const;
const PERMISSIONS = [null, 'read', 'write', 'admin'] as const;

/**
 * The levels from membership and visibility (decisions, part "Who may do what"), by visibility and
 * then by the organization's default permission, for: a non-member, a member, an admin.
 */
const GIVEN: Record<Visibility, Record<'none' | 'read' | 'write', [Level, Level, Level]>> = {
  public: {
    none: ['read', 'read', 'admin'],
    read: ['read', 'read', 'admin'],
    write: ['read', 'write', 'admin'],
  },
  internal: {
    none: ['none', 'read', 'admin'],
    read: ['none', 'read', 'admin'],
    write: ['none', 'write', 'admin'],
  },
  private: {
    none: ['none', 'none', 'admin'],
    read: ['none', 'none', 'admin'],
    write: ['none', 'none', 'admin'],
  },
};

const ROLES = [null, 'member', 'admin'] as const;

const standing = (fields: Partial<Standing>): Standing => ({
  ownerType: 'user',
  visibility: 'private',
  ownerId: OWNER,
  actorId: SOMEBODY,
  role: null,
  permission: null,
  defaultBriefPermission: null,
  ownerDisabledAt: null,
  takenDownAt: null,
  ...fields,
});

describe('effectiveLevel', () => {
  it('an organization’s document: every visibility × default × role × permission', () => {
    let cases = 0;
    for (const visibility of ['public', 'internal', 'private'] as const) {
      for (const defaultBriefPermission of ['none', 'read', 'write'] as const) {
        for (const [index, role] of ROLES.entries()) {
          for (const permission of PERMISSIONS) {
            const given = GIVEN[visibility][defaultBriefPermission][index] as Level;
            // The alphabetical order of the levels means nothing; their order in the table counts.
            const expected = [given, permission ?? 'none'].sort(
              (a, b) => LEVELS.indexOf(b as Level) - LEVELS.indexOf(a as Level),
            )[0];
            const where = { visibility, defaultBriefPermission, role, permission };
            const level = effectiveLevel(standing({ ownerType: 'organization', ...where }));
            assert.equal(level, expected, JSON.stringify(where));
            cases += 1;
          }
        }
      }
    }
    assert.equal(cases, 108);
  });

  it('a user’s document: the owner is admin, a collaborator has the permission, others depend on visibility', () => {
    for (const visibility of ['public', 'private'] as const) {
      for (const permission of PERMISSIONS) {
        const own = standing({ visibility, permission, actorId: OWNER });
        assert.equal(effectiveLevel(own), 'admin');
        const nothing = visibility === 'public' ? 'read' : 'none';
        const others = standing({ visibility, permission });
        assert.equal(effectiveLevel(others), permission ?? nothing);
      }
    }
  });

  it('a disabled user’s document: collaborators read, nobody else', () => {
    for (const visibility of ['public', 'private'] as const) {
      for (const permission of PERMISSIONS) {
        const disabled = { visibility, permission, ownerDisabledAt: '2026-01-01T00:00:00.000Z' };
        const level = effectiveLevel(standing({ ...disabled, link: 'comment' }));
        assert.equal(level, permission === null ? 'none' : 'read');
        assert.equal(effectiveLevel(standing({ ...disabled, actorId: OWNER })), level);
      }
    }
  });

  it('a document that is taken down: nobody', () => {
    for (const role of ROLES) {
      for (const permission of PERMISSIONS) {
        for (const actorId of [OWNER, SOMEBODY]) {
          const where = { visibility: 'public', role, permission, actorId } as const;
          const taken = {
            ...where,
            takenDownAt: '2026-01-01T00:00:00.000Z',
            link: 'comment',
          } as const;
          assert.equal(effectiveLevel(standing(taken)), 'none');
        }
      }
    }
  });

  it('the default permission gives nothing to non-members', () => {
    for (const defaultBriefPermission of DEFAULTS) {
      for (const visibility of ['internal', 'private'] as const) {
        const outside = standing({ ownerType: 'organization', visibility, defaultBriefPermission });
        assert.equal(effectiveLevel(outside), 'none');
      }
    }
  });

  it('the levels are none, read, write, admin, in this order', () => {
    assert.deepEqual(LEVELS, ['none', 'read', 'write', 'admin']);
  });
});

describe('decide', () => {
  const TABLE: Record<DocumentAction, [none: string, read: string, write: string, admin: string]> =
    {
      read: ['not-found', 'allow', 'allow', 'allow'],
      editContent: ['not-found', 'forbidden', 'allow', 'allow'],
      rename: ['not-found', 'forbidden', 'allow', 'allow'],
      changeVisibility: ['not-found', 'forbidden', 'forbidden', 'allow'],
      eraseRevision: ['not-found', 'forbidden', 'forbidden', 'allow'],
      pin: ['not-found', 'forbidden', 'forbidden', 'allow'],
      delete: ['not-found', 'forbidden', 'forbidden', 'allow'],
      // The owner is a user and not one of these collaborators.
      move: ['not-found', 'forbidden', 'forbidden', 'forbidden'],
      share: ['not-found', 'forbidden', 'forbidden', 'allow'],
      label: ['not-found', 'forbidden', 'allow', 'allow'],
      pinToTop: ['not-found', 'forbidden', 'forbidden', 'forbidden'],
    };

  for (const [action, row] of Object.entries(TABLE)) {
    it(`${action}: ${row.join(', ')} for none, read, write, admin`, () => {
      assert.deepEqual(
        LEVELS.map((level) => {
          const permission = level === 'none' ? null : level;
          return decide(standing({ permission }), action as DocumentAction);
        }),
        row,
      );
    });
  }
});

describe('decide, of a document that is taken down', () => {
  const takenDownAt = '2026-01-01T00:00:00.000Z';
  const ACTIONS = [
    'read',
    'editContent',
    'rename',
    'changeVisibility',
    'delete',
    'move',
    'share',
    'pin',
    'eraseRevision',
    'label',
    'pinToTop',
  ] as const satisfies readonly DocumentAction[];

  it('every action × visibility × role × permission × link: only those who manage it learn of it', () => {
    let cases = 0;
    for (const action of ACTIONS) {
      for (const visibility of ['public', 'internal', 'private'] as const) {
        for (const role of ROLES) {
          for (const permission of PERMISSIONS) {
            for (const link of [undefined, 'comment'] as const) {
              const where = { visibility, role, permission, link, takenDownAt };
              const of = { ...where, ownerType: 'organization' } as const;
              const expected = action === 'delete' ? 'allow' : 'taken-down';
              assert.equal(
                decide(standing(of), action),
                role === 'admin' ? expected : 'not-found',
                JSON.stringify({ action, ...where }),
              );
              cases += 1;
            }
          }
        }
      }
    }
    assert.equal(cases, ACTIONS.length * 72);
  });

  it('its user learns of it and can delete it; a collaborator who manages it can’t', () => {
    for (const action of ACTIONS) {
      const expected = action === 'delete' ? 'allow' : 'taken-down';
      assert.equal(decide(standing({ actorId: OWNER, takenDownAt }), action), expected);
      assert.equal(decide(standing({ permission: 'admin', takenDownAt }), action), 'not-found');
    }
    assert.equal(allow({ id: OWNER }, 'read', standing({ actorId: OWNER, takenDownAt })), false);
  });

  it('while its user is disabled, it is there for nobody', () => {
    const disabled = { ownerDisabledAt: takenDownAt, takenDownAt, permission: 'admin' } as const;
    for (const actorId of [OWNER, SOMEBODY]) {
      for (const action of ACTIONS) {
        assert.equal(decide(standing({ ...disabled, actorId }), action), 'not-found');
      }
    }
  });
});

describe('pinToTop', () => {
  it('is for those who manage all of the owner’s documents', () => {
    const member = standing({ ownerType: 'organization', visibility: 'internal', role: 'member' });
    assert.equal(decide(standing({ actorId: OWNER }), 'pinToTop'), 'allow');
    assert.equal(decide({ ...member, role: 'admin' }, 'pinToTop'), 'allow');
    assert.equal(decide({ ...member, permission: 'admin' }, 'pinToTop'), 'forbidden');
  });
});

describe('allow', () => {
  it('allows only the actor whose standing was loaded', () => {
    const document = standing({ permission: 'write' });
    assert.equal(allow({ id: SOMEBODY }, 'editContent', document), true);
    assert.equal(allow({ id: SOMEBODY }, 'share', document), false);
    assert.equal(allow({ id: OWNER }, 'editContent', document), false);
  });
});

describe('presentPermissions', () => {
  it('each level includes the lower ones', () => {
    assert.deepEqual(LEVELS.map(presentPermissions), [
      { admin: false, write: false, read: false },
      { admin: false, write: false, read: true },
      { admin: false, write: true, read: true },
      { admin: true, write: true, read: true },
    ]);
  });
});

describe('allowsVisibility', () => {
  it('internal is only for organizations', () => {
    const allowed = (ownerType: OwnerType) =>
      (['public', 'private', 'internal'] as const).filter((visibility) =>
        allowsVisibility(ownerType, visibility),
      );
    assert.deepEqual(allowed('user'), ['public', 'private']);
    assert.deepEqual(allowed('organization'), ['public', 'private', 'internal']);
  });
});
