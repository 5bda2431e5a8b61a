import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { listOwnTokens } from '../accounts/own-token-service.ts';
import { listConnectedApplications } from './application-service.ts';
import { connectPage } from './connect-page.tsx';
import { actorKey, lastActsOf } from './last-act-service.ts';

/** Adds `/connect`, which shows how to connect an agent, and connected ones. */
export function addConnectRoutes(parts: AppParts): void {
  const { site } = parts;
  parts.get('/connect', async (asked) => {
    const [applications, tokens, acts] = await Promise.all([
      listConnectedApplications(asked.call),
      listOwnTokens(asked.call),
      lastActsOf(asked.call),
    ]);
    const show =
      (via: 'application' | 'token', href: string) =>
      ({ name, lastUsedAt }: { name: string; lastUsedAt: string | null }) => ({
        name,
        href,
        lastUsedAt,
        lastAct: acts.get(actorKey({ via, viaName: name })),
      });
    const page = connectPage({
      address: `${site.baseUrl}/mcp`,
      applications: applications.map(show('application', settingsPath('applications'))),
      tokens: tokens.working.map(show('token', settingsPath('tokens'))),
    });
    return parts.show(asked, page);
  });
}
