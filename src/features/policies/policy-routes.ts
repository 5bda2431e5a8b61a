import { LINK_MAKERS, OUTSIDE_INVITERS } from '../../core/owner/policy.ts';
import { organizationPath } from '../../surfaces/web/addresses.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { readForm, requireChoice } from '../../surfaces/web/form.ts';
import { changePolicies } from './policy-change-service.ts';

/** Adds the form of an organization's policies, which its settings show. */
export function addPolicyRoutes({ context, post, act }: AppParts): void {
  post<{ Params: { org: string } }>('/organizations/:org/policies', async (asked) => {
    const { org } = asked.request.params;
    const form = readForm(asked.request.body, ['links', 'outside', 'public']);
    return act(asked, organizationPath(org, 'settings'), async () => {
      const { effects } = await changePolicies(context, asked.actor, org, {
        linkMakers: requireChoice(LINK_MAKERS, form.links, 'links'),
        outsideInviters: requireChoice(OUTSIDE_INVITERS, form.outside, 'outside'),
        publicDocuments: requireChoice(['yes', 'no'], form.public, 'public') === 'yes',
      });
      const stopped = [
        counted(effects.stoppedLinks, 'secret link', 'secret links'),
        counted(effects.stoppedCollaborators, 'collaborator', 'collaborators'),
      ].filter((part) => part !== undefined);
      const message =
        stopped.length === 0
          ? 'Saved. Nothing is stopped.'
          : `Saved. Stopped: ${stopped.join(', ')}.`;
      return { message };
    });
  });
}

function counted(count: number, one: string, many: string): string | undefined {
  return count === 0 ? undefined : `${count} ${count === 1 ? one : many}`;
}
