import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A JSON-RPC request as the server received it. */
export interface RpcCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A fault of an exchange, in place of the right answer. */
export type Fault =
  /** Accepts the request and never answers. */
  | { readonly kind: "silence" }
  /** Closes the connection without an answer. */
  | { readonly kind: "cut" }
  /** Closes it in the middle of the answer. */
  | { readonly kind: "cut-answer" }
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly text?: string;
    }
  /** Status 200 with any body. */
  | { readonly kind: "text"; readonly text: string }
  /** One error for all requests. */
  | { readonly kind: "error"; readonly code: number; readonly message: string }
  /** Omits every second answer. */
  | { readonly kind: "half" }
  /** Answers in reverse order. */
  | { readonly kind: "reversed" };

/** Thrown by an answer function to answer with an error. */
export class NodeError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A server that speaks JSON-RPC and misbehaves on command. */
export interface FaultyNode {
  readonly url: string;
  /** The requests of every exchange so far, including failed ones. */
  readonly exchanges: readonly (readonly RpcCall[])[];
  /** The headers of the last exchange. */
  readonly headers: () => IncomingMessage["headers"];
  /** Faults of the next exchanges, one each. */
  fail(...faults: Fault[]): void;
  /** A fault for every matching exchange. */
  rule(judge: (calls: readonly RpcCall[], isBatch: boolean) => Fault | undefined): void;
  stop(): Promise<void>;
}

/** Starts a server, on a free port by default. It answers with the result of `answer`, or the `NodeError` it throws. */
export async function startFaultyNode(answer: (call: RpcCall) => unknown, at = 0): Promise<FaultyNode> {
  const exchanges: (readonly RpcCall[])[] = [];
  const faults: Fault[] = [];
  let judge: (calls: readonly RpcCall[], isBatch: boolean) => Fault | undefined = () => undefined;
  let headers: IncomingMessage["headers"] = {};

  const server = createServer(async (request, response) => {
    headers = request.headers;
    const body: unknown = JSON.parse(await textOf(request));
    const calls = (Array.isArray(body) ? body : [body]) as readonly RpcCall[];
    exchanges.push(calls);
    const fault = faults.shift() ?? judge(calls, Array.isArray(body));
    const answers = calls.map((call) => answerTo(call, answer));
    respond(response, fault, answers, Array.isArray(body));
  });
  await new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    headers: () => headers,
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

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

function answerTo(call: RpcCall, answer: (call: RpcCall) => unknown): object {
  const frame = { jsonrpc: "2.0", id: call.id };
  try {
    return { ...frame, result: answer(call) };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return { ...frame, error: { code: error.code, message: error.message, data: error.data } };
  }
}

function respond(
  response: ServerResponse,
  fault: Fault | undefined,
  answers: readonly object[],
  isBatch: boolean,
): void {
  const json = (value: unknown): void => {
    response.setHeader("content-type", "application/json").end(JSON.stringify(value));
  };
  if (fault === undefined) json(isBatch ? answers : answers[0]);
  else if (fault.kind === "cut") response.destroy();
  else if (fault.kind === "cut-answer") {
    response.setHeader("content-length", "1000");
    response.write('{"jsonrpc":"2.0","id":', () => response.destroy());
  } else if (fault.kind === "status") response.writeHead(fault.status, fault.headers).end(fault.text);
  else if (fault.kind === "text") response.end(fault.text);
  else if (fault.kind === "error") {
    json({ jsonrpc: "2.0", id: null, error: { code: fault.code, message: fault.message } });
  } else if (fault.kind === "half") json(answers.filter((_, index) => index % 2 === 0));
  else if (fault.kind === "reversed") json([...answers].reverse());
}
