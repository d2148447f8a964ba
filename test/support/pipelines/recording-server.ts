import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it arrived. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a server answers. */
export type PlayedAnswer =
  | {
      readonly status: number;
      readonly body?: string | undefined;
      readonly headers?: Readonly<Record<string, string>> | undefined;
    }
  /** Never, until the client goes away. */
  | "hangs"
  | "disconnects"
  /** Pieces of a body without end, until the client goes away. */
  | "floods"
  /** A body of which a byte arrives now and then, until the client goes away. */
  | "trickles";

/** A server that records requests and answers as a test says. */
export interface RecordingServer {
  readonly url: string;
  /** All requests, in order. */
  readonly requests: readonly RecordedRequest[];
  /** Sets what is answered from now on; 200 without a body at first. */
  answer(play: (request: RecordedRequest) => PlayedAnswer): void;
  /** Forgets the requests. */
  clear(): void;
  stop(): Promise<void>;
}

/** Starts a server on a free port of this machine. */
export async function startRecordingServer(): Promise<RecordingServer> {
  const requests: RecordedRequest[] = [];
  let play: (request: RecordedRequest) => PlayedAnswer = () => ({ status: 200 });
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const recorded = { method, path: url, headers, body: Buffer.concat(pieces).toString() };
      requests.push(recorded);
      send(response, play(recorded));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (how) => {
      play = how;
    },
    clear: () => {
      requests.length = 0;
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function send(response: ServerResponse, answer: PlayedAnswer): void {
  if (answer === "hangs") return;
  if (answer === "disconnects") {
    response.destroy();
    return;
  }
  if (answer === "floods") {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write("[".repeat(65_536)));
    };
    response.on("drain", more);
    more();
    return;
  }
  if (answer === "trickles") {
    response.writeHead(200);
    const timer = setInterval(() => response.write(" "), 10);
    response.on("close", () => clearInterval(timer));
    return;
  }
  response.writeHead(answer.status, answer.headers).end(answer.body);
}
