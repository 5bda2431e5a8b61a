import { Type } from 'typebox';
import type { DocumentKind } from '../../base/schema/kind.ts';
import { ReviewSettingsSchema } from '../../core/review/thread-input-schema.ts';
import { refsOf } from '../../surfaces/rest/document-path.ts';
import { type Api, addOperation } from '../../surfaces/rest/operation.ts';
import { reviewRules } from '../../surfaces/rest/rules.ts';
import { READ_COMMENTS } from './comment-operation.ts';
import { changeReviewSettings, getReviewSettings } from './review-setting-service.ts';

export function addReviewSettings(api: Api, documentKind: DocumentKind): void {
  const { kind, segment, title, bodyLimitBytes: bodyLimit } = documentKind;
  const refOf = refsOf(kind);
  const canReview = reviewRules(kind);
  const path = `/${segment}/{owner}/{name}/review-settings` as const;

  addOperation(api, {
    ...READ_COMMENTS,
    method: 'GET',
    path,
    id: `get${title}ReviewSettings`,
    summary: `Get who can comment on a ${kind}`,
    description: 'Also returns whether it is protected.',
    answers: { 200: ReviewSettingsSchema },
    rule: canReview('see'),
    handler: async ({ context, actor, params }) => ({
      status: 200,
      data: await getReviewSettings(context, actor, refOf(params)),
    }),
  });

  addOperation(api, {
    method: 'PATCH',
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
    answers: { 200: ReviewSettingsSchema },
    errors: [422],
    rule: canReview('configure'),
    handler: async ({ context, actor, params, body }) => ({
      status: 200,
      data: await changeReviewSettings(context, actor, refOf(params), body),
    }),
  });
}
