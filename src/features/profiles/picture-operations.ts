import { Type } from 'typebox';
import { PICTURE_LIMIT_BYTES } from '../../base/schema/profile.ts';
import { Profile } from '../../core/owner/profile-schema.ts';
import { remove } from '../../surfaces/rest/endpoints.ts';
import { readOneFile } from '../../surfaces/rest/one-file-form.ts';
import { type Api, addOperation } from '../../surfaces/rest/operation.ts';
import { pictureTooLarge } from './own-profile-service.ts';
import { changeProfile, PROFILES } from './owner-profiles.ts';

const FIELD = 'picture';

/** Adds the routes of profile pictures. Their plugin accepts forms. */
export function addPictureOperations(api: Api): void {
  for (const profile of PROFILES) {
    const { whose, id, tag, scopes, rules } = profile;
    const picture = {
      path: `${profile.path}/picture`,
      tag,
      scope: scopes.write,
      ...(rules && { rule: rules.write }),
    };

    addOperation(api, {
      ...picture,
      method: 'PUT',
      id: `set${id}Picture`,
      summary: `Set ${whose} picture`,
      description:
        `One PNG, JPEG or WebP image of at most ${PICTURE_LIMIT_BYTES / 1024} KB. Metadata, ` +
        'such as a photo’s location, is removed. Anyone can see the picture.',
      form: Type.Object(
        { [FIELD]: Type.String({ format: 'binary', description: 'The image.' }) },
        { title: 'SetPicture', required: [FIELD] },
      ),
      answers: { 200: Profile },
      errors: [413, 422],
      handler: async (asked) => {
        const bytes = await readOneFile(asked.request, {
          field: FIELD,
          limitBytes: PICTURE_LIMIT_BYTES,
          tooLarge: pictureTooLarge,
          store: async ({ bytes }) => Buffer.concat(await bytes.toArray()),
        });
        return changeProfile(profile, asked, { picture: bytes });
      },
    });

    remove(api, {
      ...picture,
      id: `delete${id}Picture`,
      summary: `Delete ${whose} picture`,
      description:
        'Initials on a colour are shown instead. If there is no picture, nothing changes.',
      handler: (asked) => changeProfile(profile, asked, { picture: 'remove' }),
    });
  }
}
