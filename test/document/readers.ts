import type { Kind } from '../../src/base/schema/kind.ts';
import { VIA_WEB } from '../../src/base/schema/means.ts';
import type { Actor } from '../../src/core/context.ts';
import { requireAccount } from '../../src/core/identity/account-service.ts';
import type { Client, Service } from '../harness.ts';
import {
  CALLERS_OF_A_USER,
  CALLERS_OF_AN_ORGANIZATION,
  type Caller,
  type Rank,
  rankOf,
} from '../rest/access-model.ts';
import { makeCast } from '../rest/cast.ts';
import { ALL_KINDS, makeDocument, makeOrganization, type Visibility } from '../rest/scenario.ts';

export const ORG = 'guild';

/** A document of the user `keeper` or of the organization. */
export interface Scene {
  name: string;
  kind: Kind;
  visibility: Visibility;
  ofOrganization: boolean;
  path: string;
}

/** Documents of every kind, owner and visibility, and every caller of the access model. */
export interface Readers {
  keeper: Client;
  scenes: Scene[];
  usernames: string[];
  clientOf(username: string): Promise<Client>;
  /** The standing of a caller towards a document, according to the model. */
  callerOf(username: string, scene: Scene): Caller;
  rankOf(username: string, scene: Scene): Rank;
}

const DEFAULT = 'write';

/** @param contentOf gives each document its content */
export async function makeReaders(
  service: Service,
  contentOf: (name: string) => string,
): Promise<Readers> {
  const keeper = await service.user('keeper');
  const cast = makeCast(service, keeper);
  await makeOrganization(keeper, ORG, { defaultBriefPermission: DEFAULT });
  await cast.enrol(ORG, CALLERS_OF_AN_ORGANIZATION);
  const scenes: Scene[] = [];
  for (const kind of ALL_KINDS) {
    for (const org of [undefined, ORG]) {
      for (const visibility of ['public', 'private', 'internal'] as const) {
        if (visibility === 'internal' && !org) continue;
        const name = `${org ?? 'keeper'}-${visibility}-${kind.kind}`;
        const options = { kind, visibility, content: contentOf(name), ...(org && { org }) };
        const path = await makeDocument(keeper, name, options);
        await cast.share(path, org ? CALLERS_OF_AN_ORGANIZATION : CALLERS_OF_A_USER);
        const ofOrganization = org !== undefined;
        scenes.push({ name, kind: kind.kind, visibility, ofOrganization, path });
      }
    }
  }
  const callerOf = (username: string, { ofOrganization }: Scene): Caller => {
    if (username === 'keeper') return ofOrganization ? { role: 'admin' } : { owns: true };
    return (ofOrganization ? CALLERS_OF_AN_ORGANIZATION : CALLERS_OF_A_USER)[username] ?? {};
  };
  const usernames = Object.keys({ ...CALLERS_OF_A_USER, ...CALLERS_OF_AN_ORGANIZATION });
  return {
    keeper,
    scenes,
    usernames: [...usernames.filter((name) => name !== 'holder'), 'keeper'],
    clientOf: async (username) => (username === 'keeper' ? keeper : cast.clientOf(username)),
    callerOf,
    rankOf: (username, scene) =>
      rankOf(callerOf(username, scene), {
        visibility: scene.visibility,
        ...(scene.ofOrganization && { defaultBriefPermission: DEFAULT }),
      }),
  };
}

/** A user in the form that services need. */
export async function actorOf({ app }: Pick<Service, 'app'>, username: string): Promise<Actor> {
  const { id } = await requireAccount(app.context.sql.read, username);
  return { id, username, scopes: [], via: VIA_WEB };
}
