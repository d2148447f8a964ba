import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { makeBlock, type RawLog, type TreeBlock } from "../pool/block-tree.js";
import { type Draw, drawFrom } from "../pool/draw.js";

type Json = Readonly<Record<string, unknown>>;

/** A block of the chain that a played Portal serves, as a node returns it. */
export interface ServedBlock extends Pick<TreeBlock, "number" | "hash" | "raw" | "logs"> {
  readonly parent: ServedBlock | undefined;
}

/** The protocols that are played. */
export type PlayedKind = "portal" | "hypersync";

/** The behavior of a played service. Everything depends on the seed alone. */
export interface PortalOptions {
  readonly seed: number;
  /** What it speaks: that of a Portal by default. */
  readonly kind?: PlayedKind;
  /** The last block of the chain that it serves. */
  readonly tip: ServedBlock;
  /** Blocks before the tip that it calls final. */
  readonly final: number;
  /** Probability that an answer has one of the passing faults. */
  readonly disturbance?: number;
  /** Probability that it never returns a log of a block. */
  readonly omits?: number;
  /** Probability that it returns other data for a log, a header or a transaction of a block. */
  readonly alters?: number;
  /** What it alters; all by default. */
  readonly altered?: readonly (keyof typeof alterations)[];
  /** The first block that is of another chain. */
  readonly forksAt?: number;
  /** Blocks that its head is behind what it says. */
  readonly lag?: number;
  /** The first block of the dataset. */
  readonly start?: number;
  /** The fields of headers that it does not know, and refuses. */
  readonly unknownFields?: readonly string[];
  /** Milliseconds before an answer, and bytes in each part of it. */
  readonly latency?: number;
  readonly part?: number;
  /** Most blocks in one answer. */
  readonly most?: number;
}

/** An answer, as it goes over the wire. */
export interface PortalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly parts: readonly Uint8Array[];
  readonly end: "whole" | "cut" | "stall";
}

interface Question {
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly parentBlockHash?: string;
  readonly includeAllBlocks?: boolean;
  readonly fields: Readonly<Record<"block" | "transaction" | "log", Readonly<Record<string, boolean>>>>;
  readonly logs: readonly {
    readonly address?: readonly string[];
    readonly topic0?: readonly string[];
    readonly transaction?: boolean;
  }[];
}

const utf8 = new TextEncoder();

/**
 * A stand-in for a service with history: it serves the final part of a chain, with faults. A Portal sends a line for each
 * block, and a HyperSync server all blocks in one JSON.
 */
export class PlayedPortal {
  readonly options: PortalOptions;
  readonly #draw: Draw;
  readonly #chain = new Map<number, ServedBlock>();
  /** Number of occurrences of each fault, by name. */
  readonly happened = new Map<string, number>();
  /** The bodies of all requests for streams. */
  readonly asked: Question[] = [];

  constructor(options: PortalOptions) {
    this.options = options;
    this.#draw = drawFrom(options.seed);
    for (let block: ServedBlock | undefined = options.tip; block; block = block.parent)
      this.#chain.set(block.number, block);
    const { forksAt } = options;
    if (forksAt === undefined) return;
    let parent = this.#chain.get(forksAt - 1) as TreeBlock | undefined;
    for (let number = forksAt; number <= options.tip.number; number++) {
      parent = makeBlock(parent, -1 - options.seed - number, 0.5);
      this.#chain.set(number, parent);
    }
  }

  answer(method: string, path: string, body: string): PortalAnswer {
    const { start = 0, kind = "portal" } = this.options;
    if (kind === "hypersync") return this.#asHyperSync(method, path, body);
    if (path.endsWith("/finalized-head")) return plain(this.#finalHead());
    if (path.endsWith("/metadata")) return plain({ dataset: "played", real_time: true, start_block: start });
    if (method !== "POST" || !path.endsWith("/finalized-stream")) return failed(404, "unknown path");
    const question = JSON.parse(body) as Question;
    this.asked.push(question);
    const unknown = Object.keys(question.fields.block).find((name) =>
      this.options.unknownFields?.includes(name),
    );
    if (unknown !== undefined) return failed(400, `unknown field: ${unknown}`);
    const parent = this.#chain.get(question.fromBlock - 1)?.hash;
    if (question.parentBlockHash !== undefined && question.parentBlockHash !== parent)
      return {
        ...plain({ previousBlocks: [{ number: question.fromBlock - 1, hash: parent }] }),
        status: 409,
      };
    if (question.fromBlock < start) return failed(400, `the dataset starts at block ${start}`);
    return this.#disturbed(this.#lines(question), (lines) => this.#sent(lines));
  }

  #disturbed(lines: readonly string[], sent: (lines: readonly string[]) => PortalAnswer): PortalAnswer {
    if (!this.#draw.happens(this.options.disturbance ?? 0)) return sent(lines);
    const [name, fault] = this.#draw.one(Object.entries(passingFaults));
    this.#note(name);
    return fault(lines, this.#draw, sent);
  }

  #asHyperSync(method: string, path: string, body: string): PortalAnswer {
    const height = Math.max(0, this.options.tip.number - this.options.final);
    if (path.endsWith("/height")) return plain({ height });
    if (method !== "POST" || !path.endsWith("/query")) return failed(404, "unknown path");
    const query = JSON.parse(body) as HyperSyncQuery;
    const { block, transaction, log } = query.field_selection;
    const chosen = (names: readonly string[]): Readonly<Record<string, true>> =>
      Object.fromEntries(names.map((name) => [camelCased(name), true]));
    const question: Question = {
      fromBlock: query.from_block,
      toBlock: Math.min(query.to_block, query.from_block + query.max_num_blocks) - 1,
      includeAllBlocks: query.include_all_blocks,
      fields: {
        block: chosen(block),
        transaction: chosen(transaction),
        log: { ...chosen(log), topics: true, blockNumber: true },
      },
      logs: query.logs.map(({ address, topics }) => ({
        ...(address && { address }),
        ...(topics?.[0] && { topic0: topics[0] }),
      })),
    };
    this.asked.push(question);
    const unknown = Object.keys(question.fields.block).find((name) =>
      this.options.unknownFields?.includes(name),
    );
    if (unknown !== undefined) return failed(400, `unknown field: ${unknown}`);
    return this.#disturbed(this.#lines(question), (lines) => this.#page(question.fromBlock, height, lines));
  }

  /** Lines of blocks as a page. A text that is not such a line is sent as it is. */
  #page(from: number, height: number, lines: readonly string[]): PortalAnswer {
    const blocks = lines.map((line) => parsedLine(line));
    const strange = blocks.indexOf(undefined);
    const text = strange < 0 ? pageOf(from, height, blocks as readonly Line[]) : (lines[strange] ?? "");
    return { ...this.#inParts(text), headers: { "content-type": "application/json" } };
  }

  #finalHead(): Json {
    const number = Math.max(0, this.options.tip.number - this.options.final);
    return { number, hash: this.#chain.get(number)?.hash };
  }

  #lines({ fromBlock, toBlock, includeAllBlocks, logs, fields }: Question): readonly string[] {
    const { final, tip, lag = 0, most = Number.POSITIVE_INFINITY } = this.options;
    const last = Math.min(toBlock, tip.number - final - lag, fromBlock + most - 1);
    const lines: string[] = [];
    for (let number = fromBlock; number <= last; number++) {
      const block = this.#chain.get(number);
      if (!block) continue;
      const found = this.#withoutOmitted(block).filter((log) => logs.some((one) => fits(log, one)));
      if (!includeAllBlocks && found.length === 0 && number !== fromBlock && number !== last) continue;
      const wanted = new Set(found.map(({ transactionHash }) => transactionHash));
      const transactions = (block.raw.transactions as readonly Json[]).filter(({ hash }) => wanted.has(hash));
      const line = {
        header: selected(headerOf(block.raw), fields.block),
        ...(transactions.length > 0 && {
          transactions: transactions.map((one) => selected(transactionOf(one), fields.transaction)),
        }),
        ...(found.length > 0 && { logs: found.map((log) => selected(logOf(log), fields.log)) }),
      };
      lines.push(JSON.stringify(this.#altered(block, line)));
    }
    return lines;
  }

  #withoutOmitted({ hash, logs }: ServedBlock): readonly RawLog[] {
    const draw = drawFrom(Number.parseInt(hash.slice(2, 9), 16) + this.options.seed);
    if (logs.length === 0 || !draw.happens(this.options.omits ?? 0)) return logs;
    this.#note("omits a log");
    const left = draw.below(logs.length);
    return logs.filter((_, index) => index !== left);
  }

  #altered({ hash }: ServedBlock, line: Line): Line {
    const draw = drawFrom(Number.parseInt(hash.slice(9, 16), 16) + this.options.seed);
    if (!line.logs || !draw.happens(this.options.alters ?? 0)) return line;
    const { altered = Object.keys(alterations) as (keyof typeof alterations)[] } = this.options;
    const what = draw.one(altered);
    this.#note(`alters ${what}`);
    return alterations[what](line);
  }

  #sent(lines: readonly string[]): PortalAnswer {
    if (lines.length === 0) return { status: 204, headers: this.#heads(), parts: [], end: "whole" };
    return this.#inParts(`${lines.join("\n")}\n`);
  }

  #inParts(text: string): PortalAnswer {
    const { part = 10_000 } = this.options;
    const bytes = utf8.encode(text);
    const parts: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += part) parts.push(bytes.slice(at, at + part));
    return { status: 200, headers: this.#heads(), parts, end: "whole" };
  }

  #heads(): Record<string, string> {
    const { number, hash } = this.#finalHead();
    return {
      "content-type": "application/x-ndjson",
      "x-sqd-finalized-head-number": String(number),
      "x-sqd-finalized-head-hash": String(hash),
      "x-sqd-head-number": String(this.options.tip.number),
    };
  }

  #note(fault: string): void {
    this.happened.set(fault, (this.happened.get(fault) ?? 0) + 1);
  }
}

interface HyperSyncQuery {
  readonly from_block: number;
  readonly to_block: number;
  readonly include_all_blocks: boolean;
  readonly max_num_blocks: number;
  readonly logs: readonly {
    readonly address?: readonly string[];
    readonly topics?: readonly (readonly string[])[];
  }[];
  readonly field_selection: Readonly<Record<"block" | "transaction" | "log", readonly string[]>>;
}

function camelCased(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A row as HyperSync writes it: numbers of blocks and places as numbers, other quantities as hex. */
function rowOf(value: Json, more: Json): Json {
  const { topics, ...rest } = value;
  const topicsOf = Array.isArray(topics) ? topics : undefined;
  const named = Object.entries(rest).map(([name, one]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    ["timestamp", "size", "nonce"].includes(name) && typeof one === "number" ? `0x${one.toString(16)}` : one,
  ]);
  const four = topicsOf && [0, 1, 2, 3].map((at) => [`topic${at}`, topicsOf[at] ?? null]);
  return { ...Object.fromEntries([...named, ...(four ?? [])]), ...more };
}

function pageOf(from: number, height: number, lines: readonly Line[]): string {
  const numbers = lines.map(({ header }) => Number(header.number));
  const rows = (list: "transactions" | "logs"): readonly Json[] =>
    lines.flatMap(({ header, [list]: all = [] }) =>
      all.map((one) => rowOf(one, { block_number: header.number })),
    );
  return JSON.stringify({
    data: [
      {
        blocks: lines.map(({ header }) => rowOf(header, {})),
        transactions: rows("transactions"),
        logs: rows("logs"),
      },
    ],
    archive_height: height,
    next_block: lines.length === 0 ? from : Math.max(...numbers) + 1,
    total_execution_time: 3,
  });
}

function parsedLine(line: string): Line | undefined {
  try {
    const value = JSON.parse(line) as Line | null;
    return typeof value?.header?.number === "number" ? value : undefined;
  } catch {
    return undefined;
  }
}

interface Line {
  readonly header: Json;
  readonly transactions?: readonly Json[];
  readonly logs?: readonly Json[];
}

const otherHash = `0x${"ab".repeat(32)}`;

/** What a false Portal changes in a block with logs. */
const alterations = {
  "the data of a log": (line: Line) => changed(line, "logs", { data: `0x${"00".repeat(63)}07` }),
  "a topic of a log": (line: Line) => changed(line, "logs", { topics: [otherHash] }),
  "a time": (line: Line) => ({ ...line, header: { ...line.header, timestamp: 1 } }),
  "a bloom filter": (line: Line) => ({
    ...line,
    header: { ...line.header, logsBloom: `0x${"00".repeat(256)}` },
  }),
  "a hash": (line: Line) => ({ ...line, header: { ...line.header, hash: otherHash } }),
  "a sender": (line: Line) => changed(line, "transactions", { from: `0x${"cd".repeat(20)}` }),
} as const;

function changed(line: Line, list: "logs" | "transactions", change: Json): Line {
  const [first = {}, ...others] = line[list] ?? [];
  return { ...line, [list]: [{ ...first, ...change }, ...others] };
}

type Fault = (
  lines: readonly string[],
  draw: Draw,
  sent: (lines: readonly string[]) => PortalAnswer,
) => PortalAnswer;

/** Faults of one answer, which another request does not have. */
export const passingFaults: Readonly<Record<string, Fault>> = {
  "too many requests": () => ({ ...failed(429, "slow down"), headers: { "retry-after": "2" } }),
  "too many requests, for long": () => ({ ...failed(429, "slow down"), headers: { "retry-after": "7200" } }),
  "an error of the server": (_, draw) => failed(draw.one([500, 502, 503, 504, 521]), "oops"),
  "a refusal": () => failed(403, "<html>forbidden</html>"),
  "no data yet": () => ({ status: 204, headers: {}, parts: [], end: "whole" }),
  "an empty answer": (_, __, sent) => ({ ...sent(["{}"]), parts: [] }),
  "a cut in a line": (lines, draw, sent) => {
    const whole = sent(lines);
    const bytes = Buffer.concat(whole.parts);
    return {
      ...whole,
      parts: [bytes.subarray(0, draw.below(bytes.length))],
      end: draw.one(["cut", "whole"]),
    };
  },
  "an early end": (lines, draw, sent) => sent(lines.slice(0, 1 + draw.below(lines.length))),
  silence: (lines, draw, sent) => ({
    ...sent(lines.slice(0, draw.below(lines.length))),
    status: 200,
    end: "stall",
  }),
  "lines in another order": (lines, draw, sent) => {
    const at = draw.below(lines.length);
    return sent([...lines.slice(0, at), ...lines.slice(at).reverse()]);
  },
  "a repeated line": (lines, draw, sent) => {
    const at = draw.below(lines.length);
    return sent([...lines.slice(0, at + 1), ...lines.slice(at)]);
  },
  "a missing line": (lines, draw, sent) => {
    const at = draw.below(lines.length);
    return sent(lines.filter((_, index) => index !== at));
  },
  "something else": (_, draw, sent) =>
    sent([
      draw.one(["<html></html>", "[]", "null", '{"header":null}', '{"header":{"number":"x"}}', "\u0000"]),
    ]),
  "a line without some fields": (lines, draw, sent) => {
    const at = draw.below(lines.length);
    return sent(
      lines.map((line, index) => (index === at ? line.replace(/"parentHash":"[^"]*",/, "") : line)),
    );
  },
};

function plain(value: unknown): PortalAnswer {
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    parts: [utf8.encode(JSON.stringify(value))],
    end: "whole",
  };
}

function failed(status: number, text: string): PortalAnswer {
  return { status, headers: {}, parts: [utf8.encode(text)], end: "whole" };
}

function fits(log: RawLog, { address, topic0 }: Question["logs"][number]): boolean {
  return (
    (address === undefined || address.includes(log.address)) &&
    (topic0 === undefined || topic0.includes(log.topics[0] ?? ""))
  );
}

function selected(value: Json, fields: Readonly<Record<string, boolean>>): Json {
  return Object.fromEntries(Object.entries(value).filter(([name, one]) => fields[name] && one !== undefined));
}

/** A header as Portals write it: some quantities as numbers, others as hex. */
function headerOf(raw: Json): Json {
  const { number, timestamp, size } = raw;
  return { ...raw, number: Number(number), timestamp: Number(timestamp), size: Number(size) };
}

function transactionOf(raw: Json): Json {
  return { ...raw, transactionIndex: Number(raw.transactionIndex), nonce: Number(raw.nonce) };
}

function logOf(raw: RawLog): Json {
  return { ...raw, transactionIndex: Number(raw.transactionIndex), logIndex: Number(raw.logIndex) };
}

/** Starts a played service with the blocks up to one, all of which it calls final. The test's end stops it. */
export async function startPortal(
  tip: ServedBlock,
  options: Partial<PortalOptions> = {},
): Promise<{ readonly portal: PlayedPortal; readonly url: string }> {
  const portal = new PlayedPortal({ seed: 3, tip, final: 0, ...options });
  const { url, stop } = await servePortal(portal);
  onTestFinished(stop);
  return { portal, url };
}

/** A played Portal as an HTTP server on the loop-back interface. */
export interface ServedPortal {
  readonly url: string;
  stop(): Promise<void>;
}

export async function servePortal(portal: PlayedPortal): Promise<ServedPortal> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces).toString();
    const { status, headers, parts, end } = portal.answer(request.method ?? "", request.url ?? "", body);
    if (portal.options.latency) await sleep(portal.options.latency);
    response.writeHead(status, headers);
    for (const part of parts) response.write(part);
    if (end === "cut") response.destroy();
    else if (end === "whole") response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/datasets/played`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
