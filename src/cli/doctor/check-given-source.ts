import { createRequire } from "node:module";
import { visible } from "../../base/text/visible.js";
import { openChain } from "../../machine/open-chain.js";
import { createNodeWorld } from "../../machine/world.js";
import { ChainError } from "../../runtime/chain/chain.js";
import { checkSource, type SourceFinding } from "../../runtime/sources/check-source.js";
import { createSource } from "../../runtime/sources/create-source.js";
import { isWebAddress } from "../../web/http/address.js";
import { findSource } from "../reader/find-sources.js";
import { splitNodeOption } from "../reader/node-option.js";
import { printJson } from "../remote/print-json.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

const { version } = createRequire(import.meta.url)("../../../package.json") as { readonly version: string };

interface DoctorArguments {
  readonly source: string;
  readonly rpc?: string | undefined;
  readonly output: "table" | "json";
}

/** Milliseconds after which the check ends. */
const longest = 60_000;
/** Milliseconds of retries of the node. */
const patience = 10_000;
const marks = { passed: "ok", failed: "failed", unsure: "note" } as const;

/** Checks a service with history, and prints what was found; returns the exit code. @throws UsageError */
export async function checkGivenSource(args: DoctorArguments, terminal: Terminal): Promise<number> {
  const place = findSource(args.source, terminal.env ?? {});
  const url = args.rpc === undefined ? undefined : splitNodeOption(args.rpc).url;
  if (url !== undefined && !isWebAddress(url))
    throw new UsageError("--rpc: the address must start with http:// or https://");
  const tooLong = AbortSignal.timeout(longest);
  const signal = AbortSignal.any([terminal.signal, tooLong]);
  const isTable = args.output === "table";
  const findings: SourceFinding[] = [];
  const note = (finding: SourceFinding): void => {
    findings.push(finding);
    if (isTable) terminal.out(`${marks[finding.outcome].padEnd(8)}${visible(finding.text)}\n`);
  };
  const fail = (text: string): void => note({ outcome: "failed", text });
  const source = createSource(place, createNodeWorld(signal), {
    onNote: (why) => note({ outcome: "unsure", text: why.replace(/\.$/, "") }),
  });
  if (isTable) terminal.out(`${visible(source.name)}, checked by ${program()}\n\n`);
  try {
    const node = url === undefined ? undefined : openChain(url, { patience, signal });
    for await (const finding of checkSource(source, { node, now: () => performance.now() })) note(finding);
  } catch (error) {
    if (terminal.signal.aborted) return exitCodes.interrupted;
    if (tooLong.aborted) fail("the check has ended after a minute");
    else if (error instanceof ChainError) fail(`the node: ${error.message}`);
    else throw error;
  } finally {
    source.forget();
  }
  if (!isTable) printJson({ source: source.name, program: program(), findings }, terminal);
  else if (url === undefined)
    terminal.out("\nNothing was compared with a node. Pass one of the same chain: --rpc <url>\n");
  const hasFailed = findings.some(({ outcome }) => outcome === "failed");
  if (hasFailed && isTable) terminal.out("\nIf this is a fault of graphloom, report all these lines.\n");
  return hasFailed ? exitCodes.remote : exitCodes.clean;
}

function program(): string {
  return `graphloom ${version}, Node.js ${process.version}, ${process.platform} ${process.arch}`;
}
