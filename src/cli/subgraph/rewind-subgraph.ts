import { visible } from "../../base/text/visible.js";
import { printJson } from "../remote/print-json.js";
import { openSession } from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { largestBlock, type OutputArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { declined } from "./confirm.js";
import { makeChange } from "./make-change.js";
import type { SubgraphArguments } from "./manage-subgraph.js";
import { subgraphVersion } from "./subgraph-version.js";

/** Arguments of `subgraph rewind`. */
export interface RewindArguments extends SubgraphArguments, OutputArguments {
  readonly block: number;
  readonly hash?: string | undefined;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** Takes a version back to a block, after saying what that does; returns the exit code. */
export async function rewindSubgraph(args: RewindArguments, terminal: Terminal): Promise<number> {
  const { name, version } = subgraphVersion(args.nameAndVersion);
  const { block, hash, dryRun, yes, output } = args;
  if (!Number.isSafeInteger(block) || block < 0 || block > largestBlock)
    throw new UsageError(`--block must be a whole number from 0 to ${largestBlock}.`);
  if (hash !== undefined && !/^0x[0-9a-f]{64}$/.test(hash))
    throw new UsageError("--hash must be 0x and 64 digits 0-9 and a-f.");
  if (!dryRun && !yes && !terminal.ask)
    throw new UsageError("Not running in a terminal, so I cannot ask. To rewind without asking, add --yes.");
  const { api } = await openSession(args, terminal);
  const plan = await api.planRewind(name, version, { block, hash });
  const said = plan.effects.map((effect) => `${visible(effect)}\n`).join("");
  if (output === "table") terminal.out(said);
  if (dryRun) {
    if (output === "json") printJson({ ...plan, rewound: false }, terminal);
    return exitCodes.clean;
  }
  if (!yes) {
    if (output === "json") terminal.err(said);
    const answer = await terminal.ask?.(`Rewind ${name}/${version} to block ${block}? [y/N] `);
    if (!/^y(es)?$/i.test(answer?.trim() ?? "")) return declined(terminal);
  }
  await makeChange({
    claim: `${name}/${version} was rewound`,
    make: () => api.rewind(name, version, { block, hash: plan.to_hash }),
    // It may have gone on since, so its last block tells nothing.
    look: async () => {
      throw new Error("the outcome cannot be looked up");
    },
    advice: `Look for it in the log: graphloom subgraph log ${name}/${version} --since 1h`,
  });
  if (output === "json") printJson({ ...plan, rewound: true }, terminal);
  else terminal.out(`Rewound ${name}/${version} to block ${block}.\n`);
  return exitCodes.clean;
}
