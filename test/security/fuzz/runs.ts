const RUNS = Number(process.env.FUZZ_RUNS ?? 400);

/** The share of tool calls among all runs. */
const TOOLS_PART = 0.25;

/** How many random requests the API gets. */
export const restRuns = () => RUNS - toolRuns();

/** How many random calls the tools get. */
export const toolRuns = () => Math.ceil(RUNS * TOOLS_PART);
