const RUNS = Number(process.env.FUZZ_RUNS ?? 1_200);

/** For fast-check: `FUZZ_SEED`, and another one each time where it is not set. */
export const SEED = process.env.FUZZ_SEED ? { seed: Number(process.env.FUZZ_SEED) } : {};

/** How much of all runs are tool calls. */
const TOOLS_PART = 0.25;

/** How many random requests the API gets. */
export const restRuns = () => RUNS - toolRuns();

/** How many random calls the tools get. */
export const toolRuns = () => Math.ceil(RUNS * TOOLS_PART);
