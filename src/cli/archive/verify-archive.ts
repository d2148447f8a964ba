import { visible } from "../../base/text/visible.js";
import type { Finding } from "../../datasets/archive/verify/findings.js";
import type { Recomputable } from "../../datasets/archive/verify/recomputed.js";
import { type ChainVerification, verifyChain } from "../../datasets/archive/verify/verify-chain.js";
import { printJson } from "../remote/print-json.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { quietTerminal } from "../terminal/quiet-terminal.js";
import { size } from "../terminal/size.js";
import type { Terminal } from "../terminal/terminal.js";
import type { OutputArguments } from "../terminal/usage/options.js";
import { type ArchiveArguments, onChains, titleOf } from "./open-chains.js";
import { ReadDisplay } from "./read-display.js";

/** Checks an archive, and reports what is wrong with it; returns the exit code. */
export async function verifyArchive(
  args: ArchiveArguments & OutputArguments,
  terminal: Terminal,
): Promise<number> {
  return onChains(args, terminal, async ({ folder, files, chains }) => {
    const display = new ReadDisplay(args.output === "json" ? quietTerminal(terminal) : terminal, chains, () =>
      performance.now(),
    );
    const found = [];
    for (const chain of chains) {
      const verification = await verifyChain(files, chain, display.read).finally(() => display.end());
      found.push({ chain, verification });
      if (args.output !== "json") tell(titleOf(chain), verification, terminal);
    }
    const isWhole = found.every(({ verification }) => verification.faults.length === 0);
    if (args.output === "json") {
      const listed = found.map(({ chain: { chainId, networks }, verification }) => {
        const { segments, files: checked, bytes, faults, notes, recomputed, notRecomputed } = verification;
        const about = { chain: chainId, networks, segments, files: checked, bytes, faults, notes };
        return { ...about, recomputed, not_recomputed: notRecomputed };
      });
      printJson({ folder, ok: isWhole, chains: listed }, terminal);
    } else if (chains.length === 0) terminal.out("The archive is empty.\n");
    if (!isWhole && args.output !== "json")
      terminal.err(
        "To remove what is wrong, so that runs fetch it again: graphloom archive prune --damaged\n",
      );
    return isWhole ? exitCodes.clean : exitCodes.diagnostics;
  });
}

function tell(
  title: string,
  { segments, files, bytes, faults, notes, recomputed, notRecomputed }: ChainVerification,
  terminal: Terminal,
): void {
  const line = (kind: string, { file, why }: Finding): string => `${kind}: ${visible(`${file}: ${why}`)}\n`;
  for (const fault of faults) terminal.out(line("fault", fault));
  for (const note of notes) terminal.out(line("note", note));
  for (const { what, count: number } of recomputed) terminal.out(`recomputed: ${counted(number, what)}\n`);
  for (const { what, count: number, why } of notRecomputed)
    terminal.out(`not recomputed: ${counted(number, what)}: ${why}\n`);
  const verdict = faults.length === 0 ? "no faults" : count(faults.length, "fault");
  const checked = `${count(segments, "segment")}, ${count(files, "file")}, ${size(bytes)}`;
  terminal.out(`${visible(title)}: ${checked}: ${verdict}\n`);
}

/** `1 block hash`, `2 block hashes`. */
function counted(number: number, what: Recomputable): string {
  return what === "block hash" && number !== 1 ? `${number} block hashes` : count(number, what);
}
