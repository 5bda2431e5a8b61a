import type { FastifyReply } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import {
  LINK_MAKERS,
  MAX_PROGRAM_DAYS,
  OUTSIDE_INVITERS,
  type Policies,
  PROGRAM_USERS,
} from '../../core/owner/policy.ts';
import { organizationPath } from '../../surfaces/web/addresses.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { readForm, requireChoice } from '../../surfaces/web/form.ts';
import { changePolicies } from './policy-change-service.ts';

interface PolicyRoute {
  Params: { org: string };
}

/** Adds the forms of an organization's policies, which its settings show. They need a proof. */
export function addPolicyRoutes({ post: postUnproven, act, proven }: AppParts): void {
  const post = (path: string, handle: (asked: AppRequest<PolicyRoute>) => Promise<FastifyReply>) =>
    postUnproven<PolicyRoute>(path, proven(handle));

  post('/organizations/:org/policies', async (asked) => {
    const form = readForm(asked.request.body, ['links', 'outside', 'public']);
    return save(asked, () => ({
      linkMakers: requireChoice(LINK_MAKERS, form.links, 'links'),
      outsideInviters: requireChoice(OUTSIDE_INVITERS, form.outside, 'outside'),
      publicDocuments: requireChoice(['yes', 'no'], form.public, 'public') === 'yes',
    }));
  });

  post('/organizations/:org/policies/programs', async (asked) => {
    const form = readForm(asked.request.body, ['tokens', 'apps', 'days']);
    return save(asked, () => ({
      tokenHolders: requireChoice(PROGRAM_USERS, form.tokens, 'tokens'),
      appUsers: requireChoice(PROGRAM_USERS, form.apps, 'apps'),
      programDays: readDays(form.days),
    }));
  });

  function save(asked: AppRequest<PolicyRoute>, read: () => Partial<Policies>) {
    const { org } = asked.request.params;
    return act(asked, organizationPath(org, 'settings'), async () => {
      const { effects } = await changePolicies(asked.call, org, read());
      const stopped = [
        counted(effects.stoppedLinks, 'secret link', 'secret links'),
        counted(effects.stoppedCollaborators, 'collaborator', 'collaborators'),
        counted(effects.stoppedTokens, 'token', 'tokens'),
        counted(effects.stoppedApps, 'connected app', 'connected apps'),
      ].filter((part) => part !== undefined);
      const message =
        stopped.length === 0
          ? 'Saved. Nothing is stopped.'
          : `Saved. Stopped: ${stopped.join(', ')}.`;
      return { message };
    });
  }
}

/** @returns `null` if the field is empty @throws BAD_REQUEST */
function readDays(text: string): number | null {
  const days = text.trim();
  if (days === '') return null;
  if (/^\d{1,3}$/.test(days) && Number(days) >= 1 && Number(days) <= MAX_PROGRAM_DAYS) {
    return Number(days);
  }
  throw new ServiceError(
    'BAD_REQUEST',
    `The number of days must be 1 to ${MAX_PROGRAM_DAYS}, or empty.`,
  );
}

function counted(count: number, one: string, many: string): string | undefined {
  return count === 0 ? undefined : `${count} ${count === 1 ? one : many}`;
}
