import { visible } from "../../base/visible.js";
import { addContract } from "../../discovery/add-contract.js";
import { readTextFile } from "../../discovery/read-abi.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { ChosenChain } from "./ask-node.js";
import { checkDraft } from "./check-draft.js";
import { chooseContent } from "./choose-content.js";
import type { Guide } from "./guide-context.js";
import { abiLabel, type KnownContract, placeAbi } from "./known-contract.js";
import { showConfig } from "./show-configs.js";
import { writeConfig } from "./write-config.js";

/**
 * Adds a contract to an existing configuration if the result compiles, and prints the next steps.
 * @returns the exit code
 */
export async function extendConfig(
  file: string,
  contract: KnownContract,
  { network, node }: ChosenChain,
  guide: Guide,
): Promise<number> {
  const { args, answers, host, terminal } = guide;
  const content = await chooseContent(args, contract.abi.read, answers);
  const label = abiLabel(contract.name);
  const { path, beside } = await placeAbi(file, label, contract, content, guide);
  const before = await readTextFile(file, host);
  const { address, startBlock } = contract;
  const drafted = { abi: label, abiPath: path, address, chain: network, startBlock, reads: content.reads };
  const text = before.kind === "text" ? addContract({ path: file, text: before.text }, drafted) : undefined;
  if (text === undefined) {
    terminal.err(`Nothing was written: ${visible(file)} has no list of contracts to add to.\n`);
    return exitCodes.diagnostics;
  }
  const drafts = new Map([[file, text], ...(beside ? [[beside.path, beside.text] as const] : [])]);
  if (!(await checkDraft(file, drafts, guide))) {
    terminal.err(`Nothing was written: ${visible(file)} would not compile with the contract added.\n`);
    return exitCodes.diagnostics;
  }
  const written = await writeConfig({ file, replaces: true }, text, beside, terminal);
  if (written !== exitCodes.clean) return written;
  const { code, steps } = await showConfig(file, args, guide.plain, { rpc: node?.url });
  terminal.out(steps);
  return code;
}
