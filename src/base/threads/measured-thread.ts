import { threadId } from 'node:worker_threads';

/** Where a thread says that it has begun a task, for the thread that waits for it. */
export interface Begun {
  /** The thread's id, once it has begun; before that 0. */
  thread: Int32Array<SharedArrayBuffer>;
  /** The processor time that it had used until then, in microseconds. */
  used: Float64Array<SharedArrayBuffer>;
}

/** A call of a function of a module, with one argument. */
export interface Call {
  module: string;
  name: string;
  input: unknown;
}

/** Entry point of all worker threads. Loading the module doesn't count as work of the task. */
export async function run({
  module,
  name,
  input,
  begun,
}: Call & { begun: Begun }): Promise<unknown> {
  const functions = await import(module);
  const { user, system } = process.threadCpuUsage();
  begun.used[0] = user + system;
  Atomics.store(begun.thread, 0, threadId);
  return functions[name](input);
}
