const RUNS = Number(process.env.FUZZ_RUNS ?? 1_200);

/** For fast-check: `FUZZ_SEED`, or a new seed each time. */
export const SEED = process.env.FUZZ_SEED ? { seed: Number(process.env.FUZZ_SEED) } : {};

/** The share of tool calls among all runs. */
const TOOLS_PART = 0.25;

/** How many random requests the API gets. */
export const restRuns = () => RUNS - toolRuns();

/** How many random calls the tools get. */
export const toolRuns = () => Math.ceil(RUNS * TOOLS_PART);
