import { type Config, ConfigError } from './config.ts';
import { shareHost } from './host-header.ts';
import type { Settings } from './settings.ts';

/** Refuses settings that contradict one another. @throws ConfigError */
export function refuseContradictions(config: Config, settings: Settings): void {
  const [web, base, render] = [config.webUrl, config.baseUrl, config.renderUrl].map(
    (url) => new URL(url),
  ) as [URL, URL, URL];
  for (const [name, url] of [
    ['WEB_URL', web],
    ['RENDER_URL', render],
  ] as const) {
    if (url.pathname !== '/') {
      throw new ConfigError(`${name}: must be an origin, without a path (it is "${url.href}")`);
    }
  }
  const renderUrl =
    settings.RENDER_PORT && !settings.RENDER_URL
      ? `RENDER_PORT: makes RENDER_URL ${config.renderUrl}, which must be`
      : 'RENDER_URL: must be';
  for (const [name, url] of [
    ['WEB_URL', web],
    ['BASE_URL', base],
  ] as const) {
    // Hosts only: behind a proxy, requests do not show their scheme.
    if (shareHost(render, url)) {
      throw new ConfigError(
        `${renderUrl} at another host or port than ${name}, since it serves untrusted HTML`,
      );
    }
  }
  if (base.origin !== web.origin && shareHost(base, web)) {
    throw new ConfigError('BASE_URL: must have the scheme of WEB_URL when it shares its host');
  }
  if (base.origin === web.origin && base.pathname === '/') {
    throw new ConfigError(
      'BASE_URL: needs a path, such as /api, when it shares the origin of WEB_URL',
    );
  }
  const ports = [config.port, config.renderPort, config.metricsPort];
  if (config.metricsPort && ports.indexOf(config.metricsPort) < 2) {
    throw new ConfigError('METRICS_PORT: must differ from PORT and RENDER_PORT');
  }
}
