import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeBody, type ReceivedRequest } from "../server/received-request.js";
import { type DoubleAnswer, type DoubleFault, respond } from "./double-server.js";

/** Changes that a proxy makes to an exchange. Everything else is passed on unchanged. */
export type ProxyFault =
  | DoubleFault
  /** Passes nothing on, and closes the connection after this many bytes of the body. */
  | { readonly kind: "cut-upload"; readonly after: number }
  /** Passes the request on with additions to its query. */
  | { readonly kind: "query"; readonly query: Readonly<Record<string, string>> }
  /** Passes the request on, and changes the JSON of the answer. */
  | { readonly kind: "changed"; readonly change: (value: unknown) => unknown };

/** A proxy in front of a server that passes everything on, except for the faults that tests set. */
export interface FaultyProxy {
  /** Protocol, host and port. */
  readonly origin: string;
  /** Every request so far, including failed ones. */
  readonly received: readonly ReceivedRequest[];
  /** Faults of the next exchanges, one each. */
  fail(...faults: readonly ProxyFault[]): void;
  /** A fault for every matching exchange. */
  rule(judge: Judge): void;
  stop(): Promise<void>;
}

/** Decides about one exchange before it is passed on. */
type Judge = (method: string, path: string) => ProxyFault | undefined | Promise<ProxyFault | undefined>;

/** Headers that belong to one connection. */
const ofConnection = ["connection", "keep-alive", "transfer-encoding", "content-length", "host", "date"];

/** Starts a proxy on a free port of the loop-back interface. @param target protocol, host and port of the server */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const received: ReceivedRequest[] = [];
  const faults: ProxyFault[] = [];
  let judge: Judge = () => undefined;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", headers } = request;
    const url = new URL(request.url ?? "", target);
    const fault = faults.shift() ?? (await judge(method, url.pathname));
    const bytes = await readBody(request, fault?.kind === "cut-upload" ? fault.after : undefined);
    received.push({
      method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers,
      ...(bytes && decodeBody(bytes, headers["content-type"])),
    });
    if (!bytes || fault?.kind === "cut-upload") return void response.destroy();
    // Only the characters of the query itself may change on the way.
    const more = fault?.kind === "query" ? new URLSearchParams(fault.query).toString() : "";
    const path = `${request.url}${more && `${url.search ? "&" : "?"}${more}`}`;
    const answer = (): Promise<DoubleAnswer> => passOn(`${target}${path}`, request, bytes);
    if (fault?.kind === "changed") {
      return respond(response, undefined, async () => changed(await answer(), fault.change));
    }
    return respond(response, fault?.kind === "query" ? undefined : fault, answer);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      // A mistake in a test, or a client that disconnected.
      if (!response.headersSent) response.writeHead(500).end(String(error.stack));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    fail: (...more) => void faults.push(...more),
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

/** The bytes of a body; `undefined` after the limit was reached. */
async function readBody(
  request: IncomingMessage,
  most = Number.POSITIVE_INFINITY,
): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    pieces.push(piece as Buffer);
    length += (piece as Buffer).length;
    if (length >= most) return undefined;
  }
  return Buffer.concat(pieces);
}

async function passOn(
  url: string,
  { method, headers }: IncomingMessage,
  body: Buffer,
): Promise<DoubleAnswer> {
  const passed = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" && !ofConnection.includes(name) ? [[name, value]] : [],
  );
  const answer = await fetch(url, {
    method: method ?? "GET",
    headers: passed,
    redirect: "manual",
    ...(body.length > 0 && { body }),
  });
  const shown = [...answer.headers].filter(([name]) => !ofConnection.includes(name));
  return {
    status: answer.status,
    headers: Object.fromEntries(shown),
    body: new Uint8Array(await answer.arrayBuffer()),
  };
}

function changed(answer: DoubleAnswer, change: (value: unknown) => unknown): DoubleAnswer {
  const text = Buffer.from(answer.body).toString();
  return { ...answer, body: JSON.stringify(change(JSON.parse(text))) };
}
