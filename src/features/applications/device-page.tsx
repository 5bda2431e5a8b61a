import { renderAccountPage } from '../../surfaces/web/pages/account-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Field } from '../../surfaces/web/pages/form-field.tsx';

/** Where people enter the code that a device shows. */
export const DEVICE_PATH = '/connect/device';

/** Asks for the code that a device shows. */
export function renderDevicePage(
  site: Site,
  page: { username: string; code: string; fault?: string | undefined },
): string {
  return renderAccountPage(site, {
    viewer: { username: page.username },
    title: 'Connect a device',
    description: 'Enter the code that a device shows.',
    children: (
      <>
        <p>
          Enter the code that your terminal or device shows. Then you choose what it can access.
        </p>
        <form class="form" method="post" action={DEVICE_PATH}>
          <Field
            name="user_code"
            label="Code"
            value={page.code}
            fault={page.fault}
            hint="Eight letters, such as BCDF-GHJK"
            autocomplete="off"
            maxLength={40}
            focused
          />
          <p class="caution">
            Only enter a code that you see on a device in front of you. If somebody sent it to you,
            they want access to your account.
          </p>
          <button type="submit" class="primary">
            Continue
          </button>
        </form>
      </>
    ),
  });
}

/** Says that a user has decided about a device. */
export function renderDeviceAnswered(
  site: Site,
  page: { username: string; name: string; allowed: boolean },
): string {
  const { username, name, allowed } = page;
  return renderAccountPage(site, {
    viewer: { username },
    title: allowed ? `${name} is connected` : `${name} isn’t connected`,
    description: 'Your decision about a device.',
    children: (
      <>
        <p>
          {allowed
            ? 'Go back to your device: it continues in a few seconds. You can close this page.'
            : 'The device learns that you denied access. You can close this page.'}
        </p>
        {allowed && (
          <p>
            <a href="/settings/applications">See and disconnect your apps</a>
          </p>
        )}
      </>
    ),
  });
}
