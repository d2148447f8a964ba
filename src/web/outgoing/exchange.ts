import {
  type Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plainRequest,
} from "node:http";
import { request as secureRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { guarded } from "../../base/turns/guarded.js";
import { OutgoingError } from "./outgoing-error.js";

/** One request to one address that has been checked. */
export interface Exchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly agent: Agent;
  readonly lookup: LookupFunction;
  readonly signal: AbortSignal;
  /** The most bytes of the answer's body to read. */
  readonly mostBytes: number;
  /** How to treat a longer answer: `cut` returns its beginning, and `refuse` is an error. */
  readonly excess: "cut" | "refuse";
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** The most bytes of an answer's headers. */
const mostHeaderBytes = 16 * 1024;

/** @throws OutgoingError when the answer is too long or the connection is lost; otherwise Node's network errors */
export async function exchange(asked: Exchange): Promise<ExchangeAnswer> {
  try {
    return await once(asked);
  } catch (error) {
    // The server closed an idle connection while this request was on its way.
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
    // After an answer or an error, this event no longer matters.
    request.on("close", () => {
      if (!isAnswered) reject(new OutgoingError("cut", "the connection was lost"));
    });
    const take = async (response: IncomingMessage): Promise<void> => {
      isAnswered = true;
      const bytes = await readBody(response, mostBytes, excess);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes });
    };
    request.on("response", guarded(take, reject));
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
    // Leaving the loop closes the connection.
    if (length > mostBytes) break;
  }
  if (length > mostBytes && excess === "refuse") {
    throw new OutgoingError("too-long", `the answer is longer than ${mostBytes} bytes`);
  }
  return Buffer.concat(pieces).subarray(0, mostBytes);
}
