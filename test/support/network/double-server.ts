import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A fault of an exchange, in place of the right answer. */
export type DoubleFault =
  | { readonly kind: "status"; readonly status: number; readonly text?: string; readonly headers?: object }
  /** Status 200 with any body. */
  | { readonly kind: "text"; readonly text: string }
  /** Closes the connection without an answer. */
  | { readonly kind: "cut" }
  /** Performs the request, then closes the connection instead of answering. */
  | { readonly kind: "cut-answer" }
  /** Performs the request, then answers with this instead of the right answer. */
  | { readonly kind: "done"; readonly status: number; readonly text?: string }
  /** Accepts the request and never answers. */
  | { readonly kind: "silence" }
  /** Answers correctly, but only after this many milliseconds. */
  | { readonly kind: "slow"; readonly milliseconds: number };

/** A request as it was received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** The answer of a double. */
export interface DoubleAnswer {
  readonly status: number;
  readonly body: string | Uint8Array;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server on the loop-back interface that records its requests and misbehaves on command. */
export interface DoubleServer {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Faults of the next exchanges, one each. */
  fail(...faults: readonly DoubleFault[]): void;
  /** A fault for every matching exchange. */
  rule(judge: (request: ReceivedRequest) => DoubleFault | undefined): void;
  stop(): Promise<void>;
}

/** Starts a server that answers with the result of `answer`. */
export async function startDouble(
  answer: (request: ReceivedRequest) => DoubleAnswer | Promise<DoubleAnswer>,
): Promise<DoubleServer> {
  const requests: ReceivedRequest[] = [];
  const faults: DoubleFault[] = [];
  let judge: (request: ReceivedRequest) => DoubleFault | undefined = () => undefined;
  const server = createServer(async (incoming, response) => {
    const request = await receive(incoming);
    requests.push(request);
    await respond(response, faults.shift() ?? judge(request), () => answer(request));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    fail: (...more) => faults.push(...more),
    rule: (next) => {
      judge = next;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An answer in JSON. */
export function json(value: unknown, status = 200): DoubleAnswer {
  return { status, body: JSON.stringify(value), type: "application/json" };
}

async function receive(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://double");
  return {
    method: incoming.method ?? "",
    path: pathname,
    query: searchParams,
    headers: incoming.headers,
    body: Buffer.concat(chunks),
  };
}

/** Answers, or applies the fault. */
export async function respond(
  response: ServerResponse,
  fault: DoubleFault | undefined,
  answer: () => DoubleAnswer | Promise<DoubleAnswer>,
): Promise<void> {
  if (fault?.kind === "silence") return;
  if (fault?.kind === "cut") {
    response.destroy();
    return;
  }
  if (fault?.kind === "status") {
    response.writeHead(fault.status, fault.headers as Record<string, string>).end(fault.text);
    return;
  }
  if (fault?.kind === "text") {
    response.end(fault.text);
    return;
  }
  if (fault?.kind === "slow") await new Promise((resolve) => setTimeout(resolve, fault.milliseconds));
  const { status, body, type, headers } = await answer();
  if (fault?.kind === "cut-answer") {
    response.destroy();
    return;
  }
  if (fault?.kind === "done") {
    response.writeHead(fault.status).end(fault.text);
    return;
  }
  response.writeHead(status, { ...headers, ...(type !== undefined && { "content-type": type }) }).end(body);
}
