import {
  missingStates,
  nullRounds,
  passingTroubles,
  unknownBlocks,
  type Wording,
} from "../chain/node-wordings.js";
import type { TreeBlock } from "./block-tree.js";
import type { Draw } from "./draw.js";

export type Json = Readonly<Record<string, unknown>>;

/** A request in a body. */
export interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** An error in place of an answer. */
export class Refused extends Error {
  readonly wording: Wording;

  constructor(wording: Wording) {
    super(wording.message);
    this.wording = wording;
  }
}

/** The context of a fault. */
export interface Occasion {
  readonly call: Call;
  readonly draw: Draw;
  /** The answer of a node that is a number of blocks behind. */
  tell(behind: number): unknown;
  /** A block with the same number on a former chain, or on one that never existed. */
  brother(number: number): TreeBlock | undefined;
}

/** A wrong answer; `undefined` when the fault does not apply to the request. */
export type AnswerFault = (occasion: Occasion) => { readonly result: unknown } | undefined;

const whenList =
  (change: (list: readonly Json[], draw: Draw, occasion: Occasion) => unknown): AnswerFault =>
  (occasion) => {
    const answer = occasion.tell(0);
    return Array.isArray(answer) ? { result: change(answer, occasion.draw, occasion) } : undefined;
  };

/** For lists of logs only. */
const whenLogs =
  (change: (list: readonly Json[], draw: Draw, occasion: Occasion) => unknown): AnswerFault =>
  (occasion) =>
    occasion.call.method === "eth_getLogs" ? whenList(change)(occasion) : undefined;

const whenBlock =
  (change: (block: Json, draw: Draw, occasion: Occasion) => unknown): AnswerFault =>
  (occasion) => {
    if (occasion.call.method !== "eth_getBlockByNumber") return undefined;
    const answer = occasion.tell(0);
    return answer === null ? undefined : { result: change(answer as Json, occasion.draw, occasion) };
  };

const refusal =
  (wordings: readonly Wording[]): AnswerFault =>
  ({ draw }) => {
    throw new Refused(draw.one(wordings));
  };

/** Logs of a different branch for one of the requested blocks. */
function ofBrother({ call, draw, brother }: Occasion, isRemoved: boolean): readonly Json[] {
  const { fromBlock, toBlock } = (call.params[0] ?? {}) as Readonly<Record<string, string | undefined>>;
  if (fromBlock === undefined || toBlock === undefined) return [];
  const [from, to] = [Number(fromBlock), Number(toBlock)];
  const found = brother(to - draw.below(Math.min(3, to - from + 1)));
  return found?.logs.map((log) => ({ ...log, removed: isRemoved })) ?? [];
}

const byNumber = (one: Json, other: Json): number => Number(one.blockNumber) - Number(other.blockNumber);

/** The faults of single answers, by name. */
export const answerFaults: Readonly<Record<string, AnswerFault>> = {
  null: () => ({ result: null }),
  "nothing of a list": whenList(() => []),
  "a list without its end": whenList((list, draw) => list.slice(0, -(1 + draw.below(5)))),
  "a list without its beginning": whenLogs((list, draw) => list.slice(1 + draw.below(3))),
  "a list without one in the middle": whenList((list, draw) => {
    const gap = draw.below(list.length);
    return list.filter((_, index) => index !== gap);
  }),
  "entries twice": whenLogs((list) => list.flatMap((entry) => [entry, entry])),
  "another order": whenLogs((list) => [...list].reverse()),
  "a log of a block that was not asked for": whenLogs((list) => {
    const [first] = list;
    return first ? [{ ...first, blockNumber: "0xfffff" }, ...list] : list;
  }),
  "logs of another branch, as removed": whenLogs((list, _, occasion) =>
    [...ofBrother(occasion, true), ...list].sort(byNumber),
  ),
  "logs of another branch": whenLogs((list, _, occasion) =>
    [...ofBrother(occasion, false), ...list].sort(byNumber),
  ),
  "a block of another branch": whenBlock(
    (block, _, { brother }) => brother(Number(block.number))?.raw ?? null,
  ),
  "a block of another number": whenBlock((block) => ({ ...block, number: "0xfffff" })),
  "a block without its transactions": whenBlock(({ transactions: _, ...block }) => block),
  "a header with an empty bloom filter": whenBlock((block) => ({
    ...block,
    logsBloom: `0x${"0".repeat(512)}`,
  })),
  "a header with a bloom filter of ones": whenBlock((block) => ({
    ...block,
    logsBloom: `0x${"f".repeat(512)}`,
  })),
  "a block that does not exist, it says": ({ call: { method, params }, draw }) => {
    if (method !== "eth_getBlockByNumber" || !/^0x/.test(String(params[0]))) return undefined;
    throw new Refused(draw.one(nullRounds(Number(params[0]))));
  },
  "a node two blocks behind": ({ tell, draw }) => ({ result: tell(1 + draw.below(2)) }),
  "a node far behind": ({ tell, draw }) => ({ result: tell(5 + draw.below(10)) }),
  "an object in the place of all": () => ({ result: {} }),
  "a trouble that passes": refusal(passingTroubles),
  "a block that it does not know": refusal(unknownBlocks),
  "a state that it does not have": refusal(missingStates),
};

/** The answer to a body: an HTTP answer, or a network error. */
export type ExchangeFault = (
  calls: readonly Call[],
  answers: () => readonly object[],
  draw: Draw,
) => Response;

/** No answer at all: the client must stop waiting. */
export class Unanswered extends Error {}

const text =
  (body: string, status = 200, headers: Record<string, string> = {}): ExchangeFault =>
  () =>
    new Response(body, { status, headers });

/** The faults of whole exchanges, by name. */
export const exchangeFaults: Readonly<Record<string, ExchangeFault>> = {
  "status 503": text("busy", 503),
  "status 500 and a page": text("<html>", 500),
  "status 429": text("slow down", 429, { "retry-after": "2" }),
  "status 504": text("", 504),
  "an answer that breaks off": text('{"jsonrpc":'),
  "one error for all": ([call], _, draw) =>
    json({ jsonrpc: "2.0", id: call?.id ?? null, error: draw.one(passingTroubles) }),
  "no answers": () => json([]),
  "answers in another order": (_, answers) => listed([...answers()].reverse()),
  "some of the answers": (_, answers, draw) => listed(answers().filter(() => draw.happens(0.5))),
  "every answer twice": (_, answers) => listed(answers().flatMap((answer) => [answer, answer])),
  "the ids of other requests": (calls, answers) =>
    listed(answers().map((answer, index) => ({ ...answer, id: (calls[index]?.id ?? 0) + 1_000_000 }))),
  "a connection that breaks": () => {
    throw new TypeError("fetch failed");
  },
  "no answer in time": () => {
    throw new Unanswered("no answer in time");
  },
};

/** A batch of one is answered with a single object, like a request that is not a batch. */
function listed(answers: readonly object[]): Response {
  return json(answers.length === 1 ? answers[0] : answers);
}

export function json(value: unknown): Response {
  return new Response(JSON.stringify(value), { headers: { "content-type": "application/json" } });
}
