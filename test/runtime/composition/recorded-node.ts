import { onTestFinished } from "vitest";
import { serveRecording } from "../../../src/machine/serve-recording.js";
import type { RecordedTransaction } from "../../../src/runtime/recording/recording.js";
import { collectBuild } from "../../../src/subgraph/collect-build.js";
import { linkBuild } from "../../../src/subgraph/deployment/link-build.js";
import type { BuiltFiles } from "../../../src/subgraph/runnable/built-subgraph.js";
import { encodeLog } from "../../support/chain/encode-log.js";
import { makeRecording } from "../../support/chain/made-recording.js";
import { deploymentOf, filesOf, recorded } from "./recorded-compositions.js";

const contract = recorded.chain.addresses.S ?? "";

/** A transaction with an event that the recorded source listens to. */
function event(name: string, op: string, id: string): RecordedTransaction {
  const log = encodeLog(["event E(string op, string id, int256 n, bytes b)"], "E", [op, id, 1, "0x"]);
  const fields = { from: contract, to: contract, nonce: "0x1", input: "0x" };
  const hash = `0x${Buffer.from(name).toString("hex").padStart(64, "0")}`;
  return { hash, fields, receipt: {}, logs: [{ address: contract, ...log }] };
}

/** The events of the chain's first blocks; the handler for `boom` fails. */
const events: Readonly<Record<number, RecordedTransaction>> = {
  25: event("25", "set A", "a1"),
  27: event("27", "set B", "b1"),
  29: event("29", "set A", "a2"),
  31: event("31", "boom", "b2"),
};

/** Serves a chain whose head a test moves. */
export async function startNode(): Promise<{ readonly url: string; moveTo(block: number): void }> {
  const made = makeRecording(40, () => 0);
  const blocks = made.blocks.map((block, number) => {
    const own = events[number];
    return own ? { ...block, transactions: [own] } : block;
  });
  let head = 0;
  const node = await serveRecording({ ...made, history: 1, interval: 1, blocks }, { now: () => head });
  onTestFinished(() => node.close());
  return {
    url: node.url,
    moveTo: (block) => {
      head = block;
    },
  };
}

/** The recorded source, and the recorded composed subgraph with that source, as deployed here. */
export function linkedFiles(): { readonly source: BuiltFiles; readonly composed: BuiltFiles } {
  const source = filesOf("S1");
  const { deploymentId } = linkBuild(collectBuild(source));
  return {
    source,
    composed: filesOf("C1", (manifest) => manifest.replace(deploymentOf("S1"), deploymentId)),
  };
}
