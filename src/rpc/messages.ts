import type { PortReply } from "../base/turns/port-calls.js";
import type { NodeAnswer } from "./node-address.js";

/** A thread's requests. */
export interface NodesCalls {
  rpc(body: string): Promise<NodeAnswer>;
  /** Reads a file, as `Files` does. */
  file(path: string, milliseconds: number | undefined): Promise<Uint8Array | undefined>;
}

/** The messages to a thread: replies, and notices of a new head. */
export type NodesMessage = PortReply<string> | "head";
