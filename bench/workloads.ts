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
  type Request,
  rawCommits,
  reading,
  readingMany,
  service,
  serviceCalls,
  toolCall,
  updating,
} from './sides.ts';
import type { Stage } from './stage.ts';

/** A target ratio. */
export interface Goal {
  /** The side that is compared with the first. */
  side: string;
  figure: 'requests per second' | 'requests per CPU-second' | 'p99';
  atLeast?: number;
  atMost?: number;
}

/** A workload. Its sides run alternately; ratios are to the first side. */
export interface Workload {
  title: string;
  sides(stage: Stage): Side[];
  goals: Goal[];
  /** Set if it needs several processes of the service. */
  processes?: 'several';
}

const perCpuSecond = (side: string, atLeast: number): Goal => ({
  side,
  figure: 'requests per CPU-second',
  atLeast,
});
const oneFloor = ({ floors }: Stage) => floors.slice(0, 1);
const tail = (side: string): Goal => ({ side, figure: 'p99', atMost: 1.3 });

/**
 * A mix of reads and creates. The floor uses the spare database, which starts with the same briefs,
 * because both sides create more.
 */
function mixOf(mix: Mix): Pick<Workload, 'sides' | 'goals'> {
  return {
    sides: (stage) => [
      floor([stage.spare.floor], mixed(stage, stage.spare, mix)),
      service(stage, 'service', mixed(stage, stage.scene, mix)),
    ],
    goals: [perCpuSecond('service', 0.6), { side: 'service', figure: 'p99', atMost: 2 }],
  };
}

/**
 * The same requests to the floor and the service.
 *
 * @param share of the floor's requests per CPU-second, as the goal
 */
function besideFloor(
  requestsOf: (stage: Stage) => () => Request,
  share: number,
): Pick<Workload, 'sides' | 'goals'> {
  return {
    sides: (stage) => [
      floor(oneFloor(stage), requestsOf(stage)),
      service(stage, 'service', requestsOf(stage)),
    ],
    goals: [perCpuSecond('service', share), tail('service')],
  };
}

export const WORKLOADS: Record<string, Workload> = {
  mix: {
    title: '74 % reads with a token, 24 % public Markdown, 2 % creates, by Zipf’s law',
    ...mixOf({ reads: 74, markdown: 24, creates: 2 }),
  },
  'mix-writes': {
    title: '70 % reads with a token, 20 % public Markdown, 10 % creates, by Zipf’s law',
    ...mixOf({ reads: 70, markdown: 20, creates: 10 }),
  },
  read: {
    title: 'Read a brief of 3 KB with a token',
    ...besideFloor(reading, 0.8),
  },
  markdown: {
    title: 'Read the same brief as public Markdown',
    ...besideFloor(() => () => ({ path: MARKDOWN }), 0.75),
  },
  'read-many': {
    title: 'Read 20,000 briefs with a token',
    ...besideFloor(readingMany, 0.8),
  },
  'markdown-many': {
    title: 'Read 20,000 briefs as public Markdown',
    ...besideFloor(markdownOfMany, 0.75),
  },
  nginx: {
    title: 'Read public Markdown; nginx serves the same bytes',
    sides: (stage) => [
      nginx(stage, '/read.md'),
      service(stage, 'service', () => ({ path: MARKDOWN })),
    ],
    goals: [perCpuSecond('service', 1 / 6)],
  },
  html: {
    title: 'Read a brief as a web page, against Markdown of the same size',
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
    title: 'List 30 briefs, against a read',
    sides: (stage) => [service(stage, 'read', reading(stage)), service(stage, 'list', list(stage))],
    goals: [],
  },
  create: {
    title: 'Create briefs of 3 KB, one client, against raw commits',
    sides: (stage) => [
      rawCommits(stage),
      serviceCalls(stage),
      floor([stage.spare.floor], creating(stage, stage.spare, 1)),
      service(stage, 'service', creating(stage, stage.scene, 1)),
    ],
    goals: [{ side: 'service', figure: 'requests per second', atLeast: 0.6 }],
  },
  'create-together': {
    title: 'Create briefs of 3 KB, 32 clients, against raw commits of one writer',
    sides: (stage) => [
      rawCommits(stage),
      floor([stage.spare.floor], creating(stage, stage.spare, CONNECTIONS)),
      service(stage, 'service', creating(stage, stage.scene, CONNECTIONS)),
    ],
    goals: [{ side: 'service', figure: 'requests per second', atLeast: 1 }],
  },
  update: {
    title: 'Update briefs of 3 KB with If-Match, 32 clients, against raw commits of one writer',
    sides: (stage) => [rawCommits(stage), updating(stage)],
    goals: [],
  },
  page: {
    title: 'Read a page of 500 KB from the render host, against nginx',
    sides: (stage) => [nginx(stage, '/page.html'), page(stage)],
    goals: [],
  },
  tool: {
    title: 'Read a brief by a tool call, against a read',
    sides: (stage) => [
      service(stage, 'read', reading(stage)),
      service(stage, 'tool call', toolCall(stage)),
    ],
    goals: [],
  },
  'more-processes': {
    title: 'Read a brief with a token: one process against all',
    sides: (stage) => [
      service({ ...stage, services: stage.services.slice(0, 1) }, 'one process', reading(stage)),
      service(stage, 'all processes', reading(stage)),
    ],
    goals: [{ side: 'all processes', figure: 'requests per second', atLeast: 1.7 }],
    processes: 'several',
  },
  'more-floors': {
    title: 'The same with the floor: one process against all',
    sides: (stage) => [
      floor(oneFloor(stage), reading(stage)),
      { ...floor(stage.floors, reading(stage)), name: 'all floors' },
    ],
    goals: [],
    processes: 'several',
  },
};
