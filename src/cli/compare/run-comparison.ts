import { resolve } from "node:path";
import { inShell } from "../../base/text/in-shell.js";
import { isRecord, parseJson } from "../../base/text/json-value.js";
import { quotePath } from "../../base/text/quote.js";
import { quoteForeign } from "../../base/text/quote-foreign.js";
import { visible, visibleJson } from "../../base/text/visible.js";
import { createPace } from "../../base/turns/pace.js";
import {
  type CompareOptions,
  type Comparison,
  compareEndpoints,
  UnknownEntity,
} from "../../compare/compare-endpoints.js";
import { type ComparisonState, readState, StateError } from "../../compare/comparison-state.js";
import { createQueryEndpoint, type QueryEndpoint } from "../../compare/endpoint.js";
import { findStatus } from "../../compare/find-status.js";
import type { Side } from "../../compare/match-schemas.js";
import type { ProofComparison } from "../../compare/proofs.js";
import { createNodeHost } from "../../machine/files/host.js";
import { writeOwnFile } from "../../machine/files/write-own-file.js";
import { createNodeWorld } from "../../machine/world.js";
import { isWebAddress } from "../../web/http/address.js";
import type { SendOptions } from "../../web/http/send.js";
import { findNamed, kindWords } from "../named/find-named.js";
import { hostOfTerminal } from "../named/load-named.js";
import { type VersionEndpoint, versionEndpoint } from "../named/version-endpoint.js";
import { showingRequests, warnOfPlainText } from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { StatusLine } from "../terminal/status-line.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type CompareArguments, checkCompareArguments, headersOf } from "./compare-arguments.js";
import { comparisonAsText } from "./comparison-as-text.js";

/** A file that stores the progress of a comparison. */
interface StateFile {
  /**
   * The stored state; `undefined` when there is no file, or when the comparison is complete.
   * @throws StateError when graphloom did not write the file
   */
  read(): Promise<ComparisonState | undefined>;
  /** Remembers a state, and writes it from time to time. @throws StateError when it cannot be written */
  note(state: ComparisonState): Promise<void>;
  /** Writes the last remembered state. @throws StateError when it cannot be written */
  flush(): Promise<void>;
}

/** The first characters of every state file. */
const beginning = '{"graphloom":"compare"';

/** Milliseconds between two writes. */
const interval = 2_000;

/** The largest state file, in bytes. */
const largestFile = 256 * 1_048_576;

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
  const open = (side: Side, url = places[side].url, limits: SendOptions = {}): QueryEndpoint => {
    const given = headersOf(side, args);
    const isOwn = new URL(url).origin === new URL(places[side].url).origin;
    if (Object.keys(given).length > 0) warnOfPlainText(url, terminal);
    return createQueryEndpoint({
      name: side,
      keyOption: `--header-${side}`,
      url,
      headers: isOwn ? { ...places[side].headers, ...given } : {},
      pace: paces[side],
      world,
      sending: { ...showingRequests(args.verbose, (line) => status.pass(line)), ...limits },
    });
  };
  const sides = [open("left"), open("right")] as const;
  const statusOf = async (side: Side): Promise<QueryEndpoint | undefined> => {
    const given = side === "left" ? args.statusLeft : args.statusRight;
    if (given !== undefined) return open(side, given);
    return findStatus(places[side].url, (url, limits) => open(side, url, limits));
  };
  const bothStatus = async (): Promise<readonly [QueryEndpoint, QueryEndpoint] | undefined> => {
    const [left, right] = await Promise.all([statusOf("left"), statusOf("right")]);
    return left && right ? [left, right] : undefined;
  };
  const now = (): number => performance.now();
  const file = args.state === undefined ? undefined : createStateFile(args.state, terminal.cwd, now);
  // After an interrupt, the state is written first.
  terminal.onWriting(true);
  try {
    const comparison = await compareKept(args, sides, { file, status, ...(args.proofs && { bothStatus }) });
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
  {
    file,
    status,
    bothStatus,
  }: {
    readonly file: StateFile | undefined;
    readonly status: StatusLine;
    readonly bothStatus?: NonNullable<CompareOptions["status"]>;
  },
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
      ...(bothStatus && { status: bothStatus }),
      onProof: (block) => status.show(() => `proofs at block ${block}`),
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

/**
 * The document of `--output json`:
 *
 *     {
 *       "equal": false,
 *       "block": { "number": 19000000, "left": "0x…", "right": null, "same": true },
 *       "left": { "endpoint": "https://…", "deployment": "Qm…", "head": 19000123 }, "right": { … },
 *       "proof": { "left": "0x…", "right": "0x…", "equal": false, "first": { "block": 18500000, "earliest": false,
 *                  "count": 1, "entities": [{ "type": "Swap", "id": "0x…", "only": "left", "fields": [] }] } },
 *       "schema": [{ "kind": "field", "name": "Swap.fee", "only": "left" }, …],
 *       "left_out": [{ "name": "Stats", "why": "…" }, …],
 *       "entities": {
 *         "Swap": {
 *           "left": 100000, "right": 100000, "only_left": 0, "only_right": 0, "different": 1,
 *           "fields": { "amount": 1 },
 *           "first": [{ "id": "0x…", "only": null,
 *                       "fields": [{ "name": "amount", "left": "\"1\"", "right": "\"2\"" }] }]
 *         }
 *       }
 *     }
 *
 * `block.same` is null when it is unknown whether both sides mean the same block. In `schema`, `kind` is `type`,
 * `field`, `enum` or `search` with `only`, or `field-type` or `enum-values` with `left` and `right`. Values are JSON
 * in strings; long ones are shortened. `proof` is null if the sides were not compared by proofs of indexing; `first` is the
 * first block whose proofs differ, and `earliest` means that a side keeps no earlier one. Later versions may add members, but never change the meaning of one.
 */
function comparisonAsJson(comparison: Comparison, sides: readonly [QueryEndpoint, QueryEndpoint]): string {
  const { block, heads, plan, proofs, types, isEqual } = comparison;
  const side = (index: 0 | 1): object => ({
    endpoint: sides[index].shown,
    deployment: heads[index].deployment ?? null,
    head: heads[index].number,
  });
  const entities = types.map(({ name, last: _last, isDone: _isDone, ...counts }) => [name, counts] as const);
  const document = {
    equal: isEqual,
    block: {
      number: block.number,
      left: block.left ?? null,
      right: block.right ?? null,
      same: block.isSame ?? null,
    },
    left: side(0),
    right: side(1),
    proof: proofs ? proofAsJson(proofs) : null,
    schema: plan.differences,
    left_out: plan.left_out,
    entities: Object.fromEntries(entities),
  };
  return `${visibleJson(JSON.stringify(document, null, 2))}\n`;
}

function proofAsJson({ left, right, isEqual, first }: ProofComparison): object {
  return {
    left,
    right,
    equal: isEqual,
    first: first
      ? {
          block: first.block,
          earliest: first.isEarliest,
          count: first.count,
          entities: first.entities ?? null,
        }
      : null,
  };
}

/**
 * Finds the endpoint of a side: an address, or that of a version on a server.
 * @throws UsageError for any other word, with examples that would work. It does not quote addresses, since they may
 * contain keys.
 */
async function findSide(side: Side, args: CompareArguments, terminal: Terminal): Promise<VersionEndpoint> {
  const word = args[side];
  if (isWebAddress(word)) return { url: word, headers: {} };
  if (/:\/\/|@/.test(word))
    throw new UsageError(`The address of the ${side} side must start with http:// or https://.`);
  const advice = `Name the ${side} side by the address of an endpoint, which starts with http:// or https://, or by <name>/<version> on a server.`;
  const named = await findNamed(word, hostOfTerminal(terminal)).catch((error: unknown): never => {
    if (!(error instanceof UsageError)) throw error;
    const [found = ""] = error.message.split("\n");
    throw new UsageError(found, advice);
  });
  if (named.kind === "version") return versionEndpoint(named, "to read its entities from", args, terminal);
  if (named.kind === "endpoint") return { url: named.url, headers: {} };
  const shown = quotePath(visible(word));
  if (named.kind === "deployment" || (named.kind === "configuration" && !/\.json5?$/i.test(named.path)))
    throw new UsageError(
      `${shown} is ${named.kind === "deployment" ? kindWords.deployment : "a file"}, not an endpoint.`,
      advice,
    );
  throw new UsageError(
    `${shown} is ${kindWords[named.kind]}, which has no entities to compare. To query it, run: graphloom dev ${inShell(word)}`,
    advice,
  );
}

/** @param now the time in milliseconds */
function createStateFile(path: string, cwd: string, now: () => number): StateFile {
  let noted: ComparisonState | undefined;
  let written = Number.NEGATIVE_INFINITY;
  const flush = async (): Promise<void> => {
    if (!noted) return;
    const text = `${JSON.stringify({ graphloom: "compare", ...noted })}\n`;
    noted = undefined;
    written = now();
    const failure = await writeOwnFile(resolve(cwd, path), text, beginning);
    if (failure !== undefined) throw new StateError(`it cannot be written: ${failure}`);
  };
  return {
    flush,
    async read() {
      const file = await createNodeHost({ cwd }).readFile(resolve(cwd, path), largestFile);
      if (file.kind === "missing") return undefined;
      if (file.kind !== "bytes") throw new StateError(`it cannot be read: ${file.kind}`);
      const value = parseJson(new TextDecoder().decode(file.bytes));
      if (!isRecord(value) || value.graphloom !== "compare")
        throw new StateError("graphloom did not write it");
      const state = readState(value);
      return state.isDone ? undefined : state;
    },
    async note(state) {
      noted = state;
      if (now() - written >= interval || state.isDone) await flush();
    },
  };
}
