import { Type } from 'typebox';
import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import { ReviewSettingsSchema } from '../../core/review/thread-input-schema.ts';
import { refsOf } from '../../surfaces/rest/document-path.ts';
import { change, get } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
import { reviewRules } from '../../surfaces/rest/rules.ts';
import { READ_COMMENTS } from './comment-operation.ts';
import { changeReviewSettings, getReviewSettings } from './review-setting-service.ts';

/** Adds the routes of who can comment. */
export function addReviewSettingOperations(api: Api): void {
  for (const kind of Object.values(KINDS)) addReviewSettings(api, kind);
}

function addReviewSettings(api: Api, documentKind: DocumentKind): void {
  const { kind, segment, title, bodyLimitBytes: bodyLimit } = documentKind;
  const refOf = refsOf(kind);
  const canReview = reviewRules(kind);
  const path = `/${segment}/{owner}/{name}/review-settings` as const;

  get(api, {
    ...READ_COMMENTS,
    path,
    id: `get${title}ReviewSettings`,
    summary: `Get who can comment on a ${kind}`,
    description: 'Also returns whether it is protected.',
    answer: ReviewSettingsSchema,
    rule: canReview('see'),
    handler: ({ call, params }) => getReviewSettings(call, refOf(params)),
  });

  change(api, {
    path,
    id: `change${title}ReviewSettings`,
    tag: 'Comments',
    scope: 'sharing',
    summary: `Change who can comment on a ${kind}`,
    description: 'Omitted fields stay as they are.',
    body: Type.Partial(ReviewSettingsSchema, {
      title: 'ChangeReviewSettings',
      additionalProperties: false,
      minProperties: 1,
    }),
    bodyLimit,
    answer: ReviewSettingsSchema,
    errors: [422],
    rule: canReview('configure'),
    handler: ({ call, params, body }) => changeReviewSettings(call, refOf(params), body),
  });
}
