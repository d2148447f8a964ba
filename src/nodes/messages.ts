import type { PortReply } from "../base/port-calls.js";
import type { NodeAnswer } from "./node-address.js";

/** What a thread asks the nodes. */
export interface NodesCalls {
  rpc(body: string): Promise<NodeAnswer>;
  /** A file of IPFS. */
  file(path: string, milliseconds: number | undefined): Promise<Uint8Array | undefined>;
}

/** What it is told: replies, and that the chain has another head. */
export type NodesMessage = PortReply<string> | "head";
