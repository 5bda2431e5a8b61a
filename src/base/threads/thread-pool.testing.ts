/** Functions that the test of the thread pool runs on threads. */

/** Waits without any work, as a thread does that gets no processor. */
export function wait(ms: number): string {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return 'waited';
}

export function work(): void {
  for (;;) JSON.stringify([1]);
}
