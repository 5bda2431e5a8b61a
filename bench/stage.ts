import { fileURLToPath } from 'node:url';
import { freePorts } from '../test/free-ports.ts';
import { makeDirectory, removeDirectory } from '../test/servers/server-process.ts';
import { DEFAULT_PLAN, generate } from './generate.ts';
import type { Plan } from './generate-rows.ts';
import { createInstallation, type Installation, type Stack } from './installation.ts';
import { startNginx } from './nginx.ts';
import { type Server, startServer } from './process.ts';
import { accountOf, prepareScene, type Scene } from './scene.ts';
import { type Service, startService } from './service.ts';

/** All running servers, with their data. */
export interface Stage {
  scene: Scene;
  /** The processes of the service, on the same data. */
  services: readonly Service[];
  /** The processes of the floor, as many as of the service. */
  floors: readonly Server[];
  nginx: Server;
  spare: Spare;
  /** An installation without data. */
  another(): Promise<Installation>;
}

/** A separate database for rows that the service did not write, with its own floor server. */
export interface Spare {
  settings: Record<string, string>;
  database: string;
  ownerId: string;
  token: string;
  floor: Server;
}

const BRIEFS_PER_OWNER = 10;

const FLOOR = fileURLToPath(new URL('floor.js', import.meta.url));

/**
 * Starts everything a comparison needs.
 *
 * @param options `briefs`: the number of other briefs in the database;
 *   `nodeOptions`: arguments of the service's Node
 * @param cleanup stops everything
 */
export async function setStage(
  options: {
    stack: Stack;
    processes: number;
    briefs: number;
    nodeOptions?: readonly string[];
  },
  cleanup: AsyncDisposableStack,
): Promise<Stage> {
  const directory = makeDirectory('bench-files');
  cleanup.defer(async () => removeDirectory(directory));
  const installation = await createInstallation(options.stack);
  cleanup.defer(() => installation.remove());
  const stopping = <S extends Server>(server: S): S => {
    cleanup.defer(() => server.stop());
    return server;
  };

  const { briefs } = options;
  const plan = { ...DEFAULT_PLAN, briefs, owners: Math.ceil(briefs / BRIEFS_PER_OWNER) };
  const spare = await prepareSpare(await installation.another(), plan, stopping);
  const { token } = await generate(installation.settings, plan);
  const start = (addresses = {}) =>
    startService({ ...installation.settings, ...addresses }, options.nodeOptions);
  const first = stopping(await start());
  const { settings } = installation;
  const scene = await prepareScene(first, token, { directory, settings });
  const services = [first];
  // All processes of a service need the same addresses, because stored pages contain them.
  const addresses = { WEB_URL: first.url, RENDER_URL: first.renderUrl };
  while (services.length < options.processes) services.push(stopping(await start(addresses)));
  const floors: Server[] = [];
  while (floors.length < options.processes) {
    floors.push(stopping(await startFloor(installation.database)));
  }
  return {
    scene,
    services,
    spare,
    another: installation.another,
    floors,
    nginx: stopping(await startNginx(directory)),
  };
}

async function prepareSpare(
  installation: Installation,
  plan: Plan,
  stopping: (server: Server) => Server,
): Promise<Spare> {
  const { token } = await generate(installation.settings, plan);
  const service = await startService(installation.settings);
  const { id } = await accountOf(service, token);
  await service.stop();
  const floor = stopping(await startFloor(installation.database));
  const { settings, database } = installation;
  return { settings, database, ownerId: id, token, floor };
}

async function startFloor(database: string): Promise<Server> {
  const [port = 0] = await freePorts(1);
  return startServer([process.execPath, FLOOR, database, String(port)], {
    url: `http://127.0.0.1:${port}`,
    path: '/ready',
  });
}
