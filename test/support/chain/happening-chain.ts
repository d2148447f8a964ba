import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { AbiCoder, type EventFragment, type FunctionFragment, Interface, type ParamType } from "ethers";
import { RecordedChain } from "../../../src/runtime/recording/recorded-chain.js";
import { answerRecorded } from "../../../src/runtime/recording/recorded-node.js";
import type { RecordedBlock, RecordedTransaction } from "../../../src/runtime/recording/recording.js";
import { encodeLog } from "./encode-log.js";
import { makeRecording } from "./made-recording.js";

/** A source of a manifest, with what it listens to. */
export interface ListeningSource {
  readonly name: string;
  /** Absent for templates, and for sources that listen to every contract. */
  readonly address?: string | undefined;
  readonly abi: readonly object[];
  /** Events or functions as the manifest has them, and their handlers. */
  readonly events: readonly Listener[];
  readonly calls: readonly Listener[];
}

/** What a handler listens to. */
export interface Listener {
  readonly signature: string;
  readonly handler: string;
}

/** A chain on which each event and each call that a handler listens to happens several times, one in each block. */
export interface HappeningChain {
  readonly url: string;
  close(): Promise<void>;
}

/** How often everything happens. Contracts that others create are known from then on. */
const rounds = 3;
/** The contracts that every address in an event or a call names. */
const children = [1, 2].map((number) => `0x${String(number).repeat(40)}`);
const coder = AbiCoder.defaultAbiCoder();

/**
 * Makes such a chain, and serves it as a node. All contracts answer every question alike.
 * @param parties the addresses in events and calls, which are also the contracts that others create
 */
export async function startHappeningChain(
  sources: readonly ListeningSource[],
  chainId: number,
  parties: readonly string[] = children,
): Promise<HappeningChain> {
  const recorded = makeRecording(1, () => 0);
  const blocks: RecordedBlock[] = [...recorded.blocks];
  const add = (transaction: (number: number) => RecordedTransaction): void => {
    const number = blocks.length;
    const fields = {
      number: `0x${number.toString(16)}`,
      timestamp: `0x${(1_700_000_000 + number * 3_600).toString(16)}`,
    };
    blocks.push({ hash: hashOf(`block ${number}`), fields, transactions: [transaction(number)] });
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const { address = parties[round % parties.length] ?? "", abi, events, calls } of sources) {
      for (const { signature } of events) add((at) => eventOf(at, address, abi, signature, parties));
      for (const { signature } of calls) add((at) => callOf(at, address, abi, signature, parties));
    }
  }
  const contracts = {};
  const recording = { ...recorded, chainId, contracts, blocks, history: blocks.length };
  const chain = new RecordedChain(recording, () => Date.now());
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    response.setHeader("content-type", "application/json");
    response.end(answered(chain, body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const place = server.address();
  const port = typeof place === "object" && place !== null ? place.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** The offset of a text, and the length of an empty one: valid as a number, an address and most other types too. */
const anything = `0x${"20".padStart(64, "0")}${"0".repeat(64 * 15)}`;

function answered(chain: RecordedChain, body: string): string {
  const asked = JSON.parse(body) as Asked | readonly Asked[];
  const one = (request: Asked): unknown => {
    const result = ownAnswer(chain, request);
    return result === undefined
      ? JSON.parse(answerRecorded(chain, JSON.stringify(request)))
      : { jsonrpc: "2.0", id: request.id, result };
  };
  return JSON.stringify("method" in asked ? one(asked) : asked.map(one));
}

interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a recording does not have: contracts that answer everything, and traces. */
function ownAnswer(chain: RecordedChain, { method, params }: Asked): unknown {
  if (method === "eth_call") return anything;
  if (method === "eth_getCode") return "0x60";
  if (method !== "trace_block") return undefined;
  const block = chain.block(Number(params[0]));
  return block?.json.transactions.map((transaction, index) => ({
    type: "call",
    traceAddress: [],
    subtraces: 0,
    action: {
      callType: "call",
      from: transaction.from,
      to: transaction.to,
      input: transaction.input,
      gas: "0x5208",
      value: "0x0",
    },
    result: { gasUsed: "0x0", output: anything },
    blockHash: block.json.hash,
    blockNumber: block.number,
    transactionHash: transaction.hash,
    transactionPosition: index,
  }));
}

function eventOf(
  at: number,
  address: string,
  abi: readonly object[],
  signature: string,
  parties: readonly string[],
): RecordedTransaction {
  const fragment = fragmentOf(abi, "event", signature);
  const values = fragment.inputs.map((type, index) => madeValue(type, at + index, parties));
  const log = encodeLog([fragment.format("full")], fragment.format("sighash"), values);
  return { ...transactionOf(at, address, "0x"), logs: [{ address, topics: log.topics, data: log.data }] };
}

function callOf(
  at: number,
  address: string,
  abi: readonly object[],
  signature: string,
  parties: readonly string[],
): RecordedTransaction {
  const fragment = fragmentOf(abi, "function", signature);
  const values = fragment.inputs.map((type, index) => madeValue(type, at + index, parties));
  const selector = new Interface([fragment]).getFunction(fragment.format("sighash"))?.selector ?? "";
  return transactionOf(at, address, `${selector}${coder.encode(fragment.inputs, values).slice(2)}`);
}

function transactionOf(at: number, to: string, input: string): RecordedTransaction {
  const fields = { from: children[0], to, nonce: "0x1", input };
  return { hash: hashOf(`transaction ${at}`), fields, receipt: {} };
}

function fragmentOf(
  abi: readonly object[],
  type: "event" | "function",
  signature: string,
): EventFragment | FunctionFragment {
  const wanted = signature.replaceAll("indexed ", "");
  const all = new Interface(abi as never).fragments as readonly (EventFragment | FunctionFragment)[];
  const found = all.find(
    (one) =>
      one.type === type &&
      one.format("sighash") === wanted &&
      (type === "function" ||
        one.inputs.filter(({ indexed }) => indexed === true).length ===
          signature.split("indexed ").length - 1),
  );
  if (!found) throw new Error(`the ABI has no ${type} ${signature}`);
  return found;
}

/** A value of a type. There are few, so that the same things happen again. */
function madeValue(type: ParamType, seed: number, parties: readonly string[]): unknown {
  if (type.isArray()) {
    const length = type.arrayLength === -1 ? 1 : (type.arrayLength ?? 1);
    return Array.from({ length }, (_, index) => madeValue(type.arrayChildren, seed + index, parties));
  }
  if (type.isTuple()) return type.components.map((each, index) => madeValue(each, seed + index, parties));
  if (/^u?int/.test(type.type)) return BigInt(1 + (seed % 3));
  if (type.type === "address") return parties[seed % parties.length];
  if (type.type === "bool") return seed % 2 === 0;
  if (type.type === "string") return `text ${seed % 2}`;
  const size = Number(/^bytes(\d+)$/.exec(type.type)?.[1] ?? 4);
  return `0x${"0a".repeat(size)}`;
}

function hashOf(text: string): string {
  return `0x${createHash("sha256").update(text).digest("hex")}`;
}
