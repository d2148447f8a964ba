import { createPace } from "../../base/pace.js";
import { quoteForeign } from "../../base/quote-foreign.js";
import { visible } from "../../base/visible.js";
import { type Comparison, compareEndpoints, UnknownEntity } from "../../compare/compare-endpoints.js";
import { type ComparisonState, StateError } from "../../compare/comparison-state.js";
import { createQueryEndpoint, type QueryEndpoint } from "../../compare/endpoint.js";
import type { Side } from "../../compare/match-schemas.js";
import { createNodeWorld } from "../../machine/world.js";
import { showingRequests, warnOfPlainText } from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { StatusLine } from "../terminal/status-line.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";
import { type CompareArguments, checkCompareArguments, headersOf } from "./compare-arguments.js";
import { comparisonAsJson } from "./comparison-as-json.js";
import { comparisonAsText } from "./comparison-as-text.js";
import { findSide } from "./find-side.js";
import { createStateFile, type StateFile } from "./state-file.js";

/** Compares two endpoints and reports the differences; returns the exit code. */
export async function runComparison(args: CompareArguments, terminal: Terminal): Promise<number> {
  checkCompareArguments(args);
  const status = new StatusLine(terminal, () => performance.now());
  const world = createNodeWorld(terminal.signal);
  const pace = createPace(args.rate, world);
  // A server counts all requests of a client, so both sides share a pace if they are on one server.
  const places = {
    left: await findSide("left", args, terminal),
    right: await findSide("right", args, terminal),
  };
  const isOneServer = new URL(places.left.url).origin === new URL(places.right.url).origin;
  const paces = { left: pace, right: isOneServer ? pace : createPace(args.rate, world) };
  const open = (side: Side): QueryEndpoint => {
    const { url, headers: own } = places[side];
    const given = headersOf(side, args);
    if (Object.keys(given).length > 0) warnOfPlainText(url, terminal);
    return createQueryEndpoint({
      name: side,
      keyOption: `--header-${side}`,
      url,
      headers: { ...own, ...given },
      pace: paces[side],
      world,
      sending: showingRequests(args.verbose, (line) => status.pass(line)),
    });
  };
  const sides = [open("left"), open("right")] as const;
  const now = (): number => performance.now();
  const file = args.state === undefined ? undefined : createStateFile(args.state, terminal.cwd, now);
  // After an interrupt, the state is written first.
  terminal.onWriting(true);
  try {
    const comparison = await compareKept(args, sides, file, status);
    status.end();
    return tell(comparison, sides, args, terminal);
  } catch (error) {
    status.end();
    if (!(error instanceof StateError)) throw error;
    const name = quoteForeign(args.state ?? "");
    terminal.err(
      `Cannot use the state file ${name}: ${error.message}. Pass a different file, or remove this one.\n`,
    );
    return exitCodes.diagnostics;
  } finally {
    terminal.onWriting(false);
  }
}

/** Continues from the state in the file, and updates the file even when the comparison fails. */
async function compareKept(
  args: CompareArguments,
  sides: readonly [QueryEndpoint, QueryEndpoint],
  file: StateFile | undefined,
  status: StatusLine,
): Promise<Comparison> {
  const state = await file?.read();
  if (state) status.pass(`resuming at block ${state.block.number} from ${visible(args.state ?? "")}\n`);
  try {
    const comparison = await compareEndpoints({
      sides,
      block: args.block,
      entities: new Set(args.entity),
      page: args.page,
      show: args.show,
      state,
      onProgress: async (progress) => {
        status.show(() => progressLine(progress));
        await file?.note(progress);
      },
    });
    return comparison;
  } catch (error) {
    if (error instanceof UnknownEntity) throw new UsageError(`--entity: ${error.message}.`);
    await file?.flush();
    throw error;
  }
}

function progressLine({ block, types }: ComparisonState): string {
  const current = types.find(({ isDone }) => !isDone);
  const done = types.filter(({ isDone }) => isDone).length;
  const differing = types.reduce((sum, one) => sum + one.only_left + one.only_right + one.different, 0);
  const where = current ? `${current.name} ${Math.max(current.left, current.right)}, ` : "";
  return `block ${block.number}: ${where}${done} of ${types.length} types, ${differing} differences`;
}

function tell(
  comparison: Comparison,
  sides: readonly [QueryEndpoint, QueryEndpoint],
  args: CompareArguments,
  terminal: Terminal,
): number {
  if (args.output === "json") terminal.out(comparisonAsJson(comparison, sides));
  else terminal.out(comparisonAsText(comparison, sides, terminal));
  return comparison.isEqual ? exitCodes.clean : exitCodes.differs;
}
