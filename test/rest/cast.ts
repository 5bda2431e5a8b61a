import type { Client, Service } from '../harness.ts';
import type { Caller } from './access-model.ts';
import { collaborate, expectStatus, invite, join } from './scenario.ts';

/** Creates the callers of the access model as users. */
export interface Cast {
  clientOf(username: string): Promise<Client>;
  /** Gives callers their access to a document according to the model, or removes it again. */
  share(document: string, callers: Record<string, Caller>): Promise<void>;
  /** Gives callers their role in the organization according to the model, or removes it again. */
  enrol(org: string, callers: Record<string, Caller>): Promise<void>;
}

/** @param keeper owns every document, or administers the organization that owns it */
export function makeCast(service: Service, keeper: Client): Cast {
  const clients = new Map<string, Client>();

  async function clientOf(username: string): Promise<Client> {
    const client = clients.get(username) ?? (await service.user(username));
    clients.set(username, client);
    return client;
  }

  return {
    clientOf,
    async share(document, callers) {
      for (const [username, caller] of Object.entries(callers)) {
        const client = await clientOf(username);
        if (caller.collaborates) await collaborate(keeper, document, client, caller.collaborates);
        if (caller.invited) await invite(keeper, document, client, caller.invited);
        if (caller.collaborated) {
          await collaborate(keeper, document, client, caller.collaborated);
          await expectStatus(keeper.delete(`${document}/collaborators/${username}`), 204);
        }
      }
    },
    async enrol(org, callers) {
      for (const [username, caller] of Object.entries(callers)) {
        const client = await clientOf(username);
        if (caller.role) await join(keeper, org, client, caller.role);
        if (caller.invitedToOrganization) {
          await expectStatus(keeper.put(`/orgs/${org}/members/${username}`), 201);
        }
        if (caller.belonged) {
          await join(keeper, org, client);
          await expectStatus(keeper.delete(`/orgs/${org}/members/${username}`), 204);
        }
      }
    },
  };
}
