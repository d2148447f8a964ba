import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { gunzipSync, strFromU8 } from "fflate";
import type { World } from "../base/world.js";
import { RecordedChain } from "../runtime/recording/recorded-chain.js";
import { answerRecorded } from "../runtime/recording/recorded-node.js";
import { type Recording, readRecording } from "../runtime/recording/recording.js";
import { openSmallServer } from "./small-server.js";

/** A node that plays a recorded chain. */
export interface RecordedNode {
  /** `http://127.0.0.1:40001` */
  readonly url: string;
  readonly chain: RecordedChain;
  close(): Promise<void>;
}

/** Limit of a request's body in bytes. */
const largestBody = 4 * 1024 * 1024;

/**
 * Reads a recording from a gzip file.
 * @throws RecordingError
 */
export async function openRecording(path: string): Promise<Recording> {
  return readRecording(strFromU8(gunzipSync(await readFile(path))));
}

/**
 * Plays a recorded chain as a JSON-RPC node, on a free port that only this machine can reach. Works with anything
 * that takes a node's address.
 */
export async function serveRecording(recording: Recording, world: Pick<World, "now">): Promise<RecordedNode> {
  const chain = new RecordedChain(recording, () => world.now());
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request).catch(() => undefined);
    if (body === undefined) response.writeHead(413).end();
    else response.setHeader("content-type", "application/json").end(answerRecorded(chain, body));
  };
  const { url, close } = await openSmallServer({ host: "127.0.0.1", port: 0 }, {}, answer);
  return { url, chain, close };
}

/** @throws Error for a body that is too large or incomplete */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > largestBody) throw new Error("The body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
