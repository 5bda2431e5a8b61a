/** Whether this process runs several test files. */
export const IS_WORKER = process.env.TEST_QUEUE !== undefined;

/** What a worker does after its last file. */
export const atEnd: (() => Promise<void>)[] = [];
