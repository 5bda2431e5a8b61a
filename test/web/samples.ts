import type { ProfilePage } from '../../src/features/profiles/profile-page.tsx';
import type { ReadingPage } from '../../src/features/reading/reading-page.tsx';
import type { Site } from '../../src/surfaces/web/pages/assets.ts';

export const site: Site = {
  webUrl: 'https://briefs.example',
  baseUrl: 'https://briefs.example/api',
  assets: { url: (entry) => `/assets/${entry}` },
  version: '1.2.3',
  face: {
    name: 'Briefs',
    accent: undefined,
    logo: undefined,
    contact: undefined,
    terms: undefined,
    privacy: undefined,
    imprint: undefined,
  },
  sendsMail: false,
  hasPasswords: true,
  takesReports: true,
};

/** A brief with three sections, with overrides. */
export function readingPage(more: Partial<ReadingPage> = {}): ReadingPage {
  return {
    owner: 'ada',
    name: 'notes',
    title: 'Notes',
    description: 'Notes on the engine.',
    url: 'https://briefs.example/ada/notes',
    markdownUrl: 'https://briefs.example/ada/notes.md',
    html: '<h1 id="n">Notes</h1><h2 id="a">A</h2><h3 id="b">B</h3><h2 id="c">C</h2>',
    isLate: false,
    source: '# Notes SOURCE',
    headings: [
      { level: 1, id: 'n', text: 'Notes' },
      { level: 2, id: 'a', text: 'A' },
      { level: 3, id: 'b', text: 'B' },
      { level: 2, id: 'c', text: 'C' },
    ],
    math: false,
    diagrams: false,
    minutes: 1,
    updatedAt: '2026-05-03T23:30:00.000Z',
    updatedBy: 'ada',
    sizeBytes: 2048,
    version: 1,
    ...more,
  };
}

/** An empty profile, with overrides. */
export function profilePage(more: Partial<ProfilePage> = {}): ProfilePage {
  return {
    owner: 'ada',
    ownerType: 'user',
    displayName: undefined,
    summary: undefined,
    createdAt: '2026-01-01T00:00:00.000Z',
    pinned: [],
    documents: [],
    page: 1,
    lastPage: 1,
    total: 0,
    ...more,
  };
}

/**
 * An API description with everything that the reference can show: references, alternatives, limits,
 * open objects.
 */
export const openapi = {
  openapi: '3.1.0',
  info: { title: 'Briefs API', version: '1.2.3', description: 'First.\n\nSecond paragraph.' },
  tags: [{ name: 'Briefs', description: 'Markdown documents.' }],
  components: {
    schemas: {
      Brief: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string', format: 'uuid' },
          updatedBy: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          tags: {
            type: 'array',
            items: { type: 'object', properties: { name: { type: 'string' } } },
          },
        },
      },
    },
  },
  paths: {
    '/user/briefs': {
      post: {
        operationId: 'createBrief',
        tags: ['Briefs'],
        summary: 'Publish a brief',
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['content'],
                properties: {
                  content: { type: 'string', maxLength: 921600, example: "# It's" },
                  visibility: { enum: ['public', 'private'], default: 'public' },
                },
              },
            },
          },
        },
        responses: {
          201: {
            description: 'Created.',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { data: { $ref: '#/components/schemas/Brief' } },
                },
              },
            },
          },
          422: { description: 'The name is taken.' },
        },
      },
    },
    '/briefs/{owner}/{name}': {
      parameters: [
        { name: 'owner', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'name', in: 'path', required: true, schema: { type: 'string' } },
      ],
      delete: {
        tags: ['Briefs'],
        summary: 'Delete a brief',
        'x-permission': 'admin',
        responses: { 204: { description: 'Gone.' } },
      },
    },
    '/openapi.json': {
      get: { tags: ['About'], security: [], responses: { 200: { description: 'This.' } } },
    },
  },
};
