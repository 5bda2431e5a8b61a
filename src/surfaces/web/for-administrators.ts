import { nothingAtAddress } from '../../base/errors.ts';
import type { Call } from '../../core/context.ts';
import { isAdmin } from '../../core/identity/admin.ts';
import type { AppParts } from './app-parts.ts';

/**
 * Returns functions like those of the app that add pages and forms for administrators of the
 * instance. For everyone else who is signed in, there is nothing at their addresses.
 */
export function forAdministrators(parts: AppParts): Pick<AppParts, 'get' | 'post'> {
  const guarded =
    <Asked extends { call: Call }, Result>(handle: (asked: Asked) => Promise<Result>) =>
    async (asked: Asked): Promise<Result> => {
      if (!(await isAdmin(asked.call.sql.read, asked.call.actor.id))) throw nothingAtAddress();
      return handle(asked);
    };
  return {
    get: (path, handle, ...more) => parts.get(path, guarded(handle), ...more),
    post: (path, handle, ...more) => parts.post(path, guarded(handle), ...more),
  };
}
