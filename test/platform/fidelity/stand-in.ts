import { isRecord } from "../../../src/base/text/json-value.js";
import type { World } from "../../../src/base/world.js";
import type { Files } from "../../../src/runtime/files/files.js";
import { RecordedChain } from "../../../src/runtime/recording/recorded-chain.js";
import { answerRecorded } from "../../../src/runtime/recording/recorded-node.js";
import { readRecording } from "../../../src/runtime/recording/recording.js";
import { recordedFiles, recordedTraces, sharedFile } from "./recorded.js";

/** A node of the recorded chain, whose head a test moves. It also has traces, and all balances are 0. */
export class StandInNode {
  #head = 0;
  readonly #chain = new RecordedChain(
    readRecording(new TextDecoder().decode(sharedFile("chain.jsonl"))),
    () => this.#head,
  );

  /** The number of the newest block. */
  set head(block: number) {
    this.#head = block;
  }

  readonly fetch: World["fetch"] = async (_, { body }) => {
    const asked: unknown = JSON.parse(String(body));
    const answer = Array.isArray(asked) ? asked.map((one) => this.#answer(one)) : this.#answer(asked);
    return new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } });
  };

  #answer(request: unknown): unknown {
    if (!isRecord(request)) throw new Error(`no request: ${JSON.stringify(request)}`);
    const { id, method, params } = request;
    const told = (result: unknown) => ({ jsonrpc: "2.0", id, result });
    if (method === "eth_getBalance") return told("0x0");
    if (method !== "trace_block") return JSON.parse(answerRecorded(this.#chain, JSON.stringify(request)));
    const number = Number(Array.isArray(params) ? params[0] : undefined);
    return told(number <= this.#chain.head.number ? recordedTraces[number] : null);
  }
}

/** The recorded files. No other files exist. */
export const standInFiles: Files = {
  read: async (path) => {
    const text = recordedFiles.get(path.replace(/^(?:ipfs:\/\/|\/ipfs\/)/, ""));
    return text === undefined ? undefined : new TextEncoder().encode(text);
  },
};
