import { FieldError } from '../../base/errors.ts';
import { seeOther, sendOwnPage } from '../../surfaces/web/account-parts.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { readForm } from '../../surfaces/web/form.ts';
import { DEVICE_PATH, renderDevicePage } from './device-page.tsx';
import { enterUserCode, shownCode } from './device-service.ts';

/** Adds `/connect/device`, which leads from the code that a device shows to the consent page. */
export function addDeviceRoutes(parts: AppParts): void {
  const { site } = parts;
  parts.get<{ Querystring: { user_code?: unknown } }>(
    DEVICE_PATH,
    async ({ request, reply, call }) => {
      const code = shownCode(String(request.query.user_code ?? ''));
      return sendOwnPage(reply, renderDevicePage(site, { username: call.actor.username, code }));
    },
  );

  parts.post(DEVICE_PATH, async ({ request, reply, call }) => {
    const { user_code: typed } = readForm(request.body, ['user_code']);
    try {
      return seeOther(reply, `/authorize/${await enterUserCode(call, typed, request.ip)}`);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      const page = { username: call.actor.username, code: shownCode(typed), fault: error.sentence };
      return sendOwnPage(reply, renderDevicePage(site, page), 422);
    }
  });
}
