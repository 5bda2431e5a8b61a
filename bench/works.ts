import type { Side } from './measure.ts';
import { OWNER } from './scene.ts';
import {
  CONNECTIONS,
  creating,
  floor,
  list,
  MARKDOWN,
  type Mix,
  markdownOfMany,
  mixed,
  nginx,
  page,
  rawCommits,
  reading,
  readingMany,
  service,
  serviceCalls,
  toolCall,
  updating,
} from './sides.ts';
import type { Stage } from './stage.ts';

/** A ratio that should be reached. */
export interface Goal {
  /** Whose, against the first side. */
  side: string;
  figure: 'requests per second' | 'requests per CPU-second' | 'p99';
  atLeast?: number;
  atMost?: number;
}

/** Something that is measured: sides that do it in turns. The first is what others stand to. */
export interface Work {
  title: string;
  sides(stage: Stage): Side[];
  goals: Goal[];
  /** Whether it takes more than one process of the service. */
  processes?: 'several';
}

const perCpuSecond = (side: string, atLeast: number): Goal => ({
  ...{ side, figure: 'requests per CPU-second', atLeast },
});
const oneFloor = ({ floors }: Stage) => floors.slice(0, 1);
const tail = (side: string): Goal => ({ side, figure: 'p99', atMost: 1.3 });

/** The floor stands on the spare database, which has the same briefs: both sides create more. */
function mixOf(mix: Mix): Pick<Work, 'sides' | 'goals'> {
  return {
    sides: (stage) => [
      floor([stage.spare.floor], mixed(stage, stage.spare, mix)),
      service(stage, 'service', mixed(stage, stage.scene, mix)),
    ],
    goals: [perCpuSecond('service', 0.6), { side: 'service', figure: 'p99', atMost: 2 }],
  };
}

export const WORKS: Record<string, Work> = {
  mix: {
    title: '74 % reads with a token, 24 % public Markdown, 2 % creates, by Zipf’s law',
    ...mixOf({ reads: 74, markdown: 24, creates: 2 }),
  },
  'mix-writes': {
    title: '70 % reads with a token, 20 % public Markdown, 10 % creates, by Zipf’s law',
    ...mixOf({ reads: 70, markdown: 20, creates: 10 }),
  },
  read: {
    title: 'A brief of 3 KB, read with a token',
    sides: (stage) => [
      floor(oneFloor(stage), reading(stage)),
      service(stage, 'service', reading(stage)),
    ],
    goals: [perCpuSecond('service', 0.8), tail('service')],
  },
  markdown: {
    title: 'The same brief as public Markdown',
    sides: (stage) => [
      floor(oneFloor(stage), () => ({ path: MARKDOWN })),
      service(stage, 'service', () => ({ path: MARKDOWN })),
    ],
    goals: [perCpuSecond('service', 0.75), tail('service')],
  },
  'read-many': {
    title: 'One of 20,000 briefs after the other, read with a token',
    sides: (stage) => [
      floor(oneFloor(stage), readingMany(stage)),
      service(stage, 'service', readingMany(stage)),
    ],
    goals: [perCpuSecond('service', 0.8), tail('service')],
  },
  'markdown-many': {
    title: 'The same as public Markdown',
    sides: (stage) => [
      floor(oneFloor(stage), markdownOfMany(stage)),
      service(stage, 'service', markdownOfMany(stage)),
    ],
    goals: [perCpuSecond('service', 0.75), tail('service')],
  },
  nginx: {
    title: 'Public Markdown, beside nginx with a file of the same bytes',
    sides: (stage) => [
      nginx(stage, '/read.md'),
      service(stage, 'service', () => ({ path: MARKDOWN })),
    ],
    goals: [perCpuSecond('service', 1 / 6)],
  },
  html: {
    title: 'The same brief as a web page, beside Markdown of as many bytes',
    sides: (stage) => [
      service(stage, 'Markdown', () => ({ path: `/${OWNER}/large.md` })),
      service(stage, 'HTML', () => ({
        path: `/${OWNER}/read`,
        headers: { accept: 'text/html' },
      })),
    ],
    goals: [perCpuSecond('HTML', 0.9)],
  },
  list: {
    title: 'A list of 30, beside a read',
    sides: (stage) => [service(stage, 'read', reading(stage)), service(stage, 'list', list(stage))],
    goals: [],
  },
  create: {
    title: 'Briefs of 3 KB made by one client, beside raw commits',
    sides: (stage) => [
      rawCommits(stage),
      serviceCalls(stage),
      floor([stage.spare.floor], creating(stage, stage.spare, 1)),
      service(stage, 'service', creating(stage, stage.scene, 1)),
    ],
    goals: [{ side: 'service', figure: 'requests per second', atLeast: 0.6 }],
  },
  'create-together': {
    title: 'Briefs of 3 KB made by 32 clients, beside raw commits of one writer',
    sides: (stage) => [
      rawCommits(stage),
      floor([stage.spare.floor], creating(stage, stage.spare, CONNECTIONS)),
      service(stage, 'service', creating(stage, stage.scene, CONNECTIONS)),
    ],
    goals: [{ side: 'service', figure: 'requests per second', atLeast: 1 }],
  },
  update: {
    title: 'Briefs of 3 KB changed with If-Match by 32 clients, beside raw commits of one writer',
    sides: (stage) => [rawCommits(stage), updating(stage)],
    goals: [],
  },
  page: {
    title: 'A page of 500 KB through the render host, beside nginx with the file',
    sides: (stage) => [nginx(stage, '/page.html'), page(stage)],
    goals: [],
  },
  tool: {
    title: 'The brief read by a tool call, beside a read',
    sides: (stage) => [
      service(stage, 'read', reading(stage)),
      service(stage, 'tool call', toolCall(stage)),
    ],
    goals: [],
  },
  'more-processes': {
    title: 'The brief read with a token, by one process and by all of them',
    sides: (stage) => [
      service({ ...stage, services: stage.services.slice(0, 1) }, 'one process', reading(stage)),
      service(stage, 'all processes', reading(stage)),
    ],
    goals: [{ side: 'all processes', figure: 'requests per second', atLeast: 1.7 }],
    processes: 'several',
  },
  'more-floors': {
    title:
      'The same by one process of the floor and by as many, which shows what the machine has room for',
    sides: (stage) => [
      floor(oneFloor(stage), reading(stage)),
      { ...floor(stage.floors, reading(stage)), name: 'all floors' },
    ],
    goals: [],
    processes: 'several',
  },
};
