import { Type } from 'typebox';
import { createSignedAddress } from '../../document/page-service.ts';
import { SIGNED_ADDRESS_LIFETIME } from '../../document/signed-address.ts';
import { Timestamp } from '../../schema/fields.ts';
import { type Api, addOperation } from '../operation.ts';

const SignedAddress = Type.Object(
  {
    url: Type.String({
      format: 'uri',
      description: 'Works without a token until it expires.',
      examples: ['http://localhost:4001/s/019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f/1?exp=1&sig=x'],
    }),
    expiresAt: Timestamp(`When it expires, about ${SIGNED_ADDRESS_LIFETIME} from now.`),
  },
  { title: 'SignedAddress' },
);

/** What only pages have (specification, part "Pages"). */
export function addPageRoutes(api: Api): void {
  addOperation(api, {
    method: 'GET',
    scope: 'documents:read',
    path: '/pages/{owner}/{name}/render-url',
    id: 'getPageRenderUrl',
    tag: 'Pages',
    summary: 'Get a signed address of a page',
    description:
      'Shows a page that is not public in a sandboxed frame. It stops working early when the page ' +
      'changes, is deleted, or you lose access.',
    needs: 'read',
    answers: { 200: SignedAddress },
    errors: [404],
    handler: async ({ context, actor, params }) => ({
      status: 200,
      data: await createSignedAddress(context, actor, { kind: 'page', ...params }),
    }),
  });
}
