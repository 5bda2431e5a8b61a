import { Type } from 'typebox';
import { Timestamp } from '../../base/schema/fields.ts';
import { get } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
import { documentRules } from '../../surfaces/rest/rules.ts';
import { createSignedAddress } from './page-service.ts';
import { SIGNED_ADDRESS_LIFETIME } from './signed-address.ts';

const SignedAddress = Type.Object(
  {
    url: Type.String({
      format: 'uri',
      description: 'The URL. Works without a token until it expires.',
      examples: ['http://localhost:4001/s/019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f/1?exp=1&sig=x'],
    }),
    expiresAt: Timestamp(`When it expires, about ${SIGNED_ADDRESS_LIFETIME} from now.`),
  },
  { title: 'SignedAddress' },
);

/** Adds the routes that only pages have (specification, part "Pages"). */
export function addPageOperations(api: Api): void {
  get(api, {
    scope: 'documents:read',
    path: '/pages/{owner}/{name}/render-url',
    id: 'getPageRenderUrl',
    tag: 'Pages',
    summary: 'Get a signed URL of a page',
    description:
      'For showing a page that isn’t public in a sandboxed frame. The URL stops working early if the ' +
      'page changes or is deleted, or if you lose access.',
    answer: SignedAddress,
    rule: documentRules('page')('read'),
    handler: ({ call, params }) => createSignedAddress(call, { kind: 'page', ...params }),
  });
}
