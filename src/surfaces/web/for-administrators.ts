import { nothingAtAddress } from '../../base/errors.ts';
import { isAdmin } from '../../core/identity/admin.ts';
import type { AppParts } from './app-parts.ts';

/**
 * Returns functions like those of the app that add pages and forms for administrators of the
 * instance. For everyone else who is signed in, there is nothing at their addresses.
 */
export function forAdministrators(parts: AppParts): Pick<AppParts, 'get' | 'post'> {
  const { context } = parts;
  const guarded =
    <Asked extends { actor: { id: string } }, Result>(handle: (asked: Asked) => Promise<Result>) =>
    async (asked: Asked): Promise<Result> => {
      if (!(await isAdmin(context.sql.read, asked.actor.id))) throw nothingAtAddress();
      return handle(asked);
    };
  return {
    get: (path, handle, ...more) => parts.get(path, guarded(handle), ...more),
    post: (path, handle, ...more) => parts.post(path, guarded(handle), ...more),
  };
}
