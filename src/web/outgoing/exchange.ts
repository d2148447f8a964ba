import {
  type Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plainRequest,
} from "node:http";
import { request as secureRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { OutgoingError } from "./outgoing-error.js";

/** One request to one address, which was judged. */
export interface Exchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly agent: Agent;
  readonly lookup: LookupFunction;
  readonly signal: AbortSignal;
  /** Bytes of the answer's body that are read. */
  readonly mostBytes: number;
  /** What is done with an answer that is longer: its beginning is given back, or it is an error. */
  readonly excess: "cut" | "refuse";
}

/** What came back. */
export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** Bytes of an answer's headers. */
const mostHeaderBytes = 16 * 1024;

/** @throws OutgoingError for answers that are too long; errors of Node's network otherwise */
export async function exchange(asked: Exchange): Promise<ExchangeAnswer> {
  try {
    return await once(asked);
  } catch (error) {
    // The other side has closed a connection that was kept, while this was on its way.
    if (error instanceof StaleConnection) return once(asked);
    throw error;
  }
}

class StaleConnection extends Error {}

function once({ url, body, mostBytes, excess, ...options }: Exchange): Promise<ExchangeAnswer> {
  const send = url.protocol === "https:" ? secureRequest : plainRequest;
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const request = send(url, { ...options, maxHeaderSize: mostHeaderBytes });
    request.on("error", (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
      reject(isStale ? new StaleConnection() : error);
    });
    request.on("upgrade", (_, socket) => {
      socket.destroy();
      reject(new OutgoingError("cut", "the server asked to switch to a protocol other than HTTP"));
    });
    // After an answer or an error this comes too late to matter.
    request.on("close", () => {
      if (!isAnswered) reject(new OutgoingError("cut", "the connection was lost"));
    });
    request.on("response", (response) => {
      isAnswered = true;
      readBody(response, mostBytes, excess).then(
        (bytes) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes }),
        reject,
      );
    });
    request.end(body);
  });
}

async function readBody(
  response: IncomingMessage,
  mostBytes: number,
  excess: Exchange["excess"],
): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    // Leaving the loop ends the connection.
    if (length > mostBytes) break;
  }
  if (length > mostBytes && excess === "refuse") {
    throw new OutgoingError("too-long", `the answer is longer than ${mostBytes} bytes`);
  }
  return Buffer.concat(pieces).subarray(0, mostBytes);
}
