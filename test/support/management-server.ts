import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { checkOwnAnswer, type Matched, matchOperation, readParameters } from "./management-contract.js";
import { createOperations } from "./management-operations.js";
import { badRequest, Problem } from "./management-problem.js";
import { decodeBody, type ReceivedRequest, readBody, readContent } from "./management-received.js";
import type {
  ManagementOptions,
  ManagementState,
  TestLogEntry,
  TestTag,
  TestVersion,
  TestWebhook,
} from "./management-state.js";

export type { ReceivedFile, ReceivedRequest } from "./management-received.js";
export type {
  ManagementOptions,
  TestLogEntry,
  TestTag,
  TestVersion,
  TestWebhook,
} from "./management-state.js";

/** What the server may do to an exchange instead of answering as it should. */
export type ManagementFault =
  /** Does nothing and answers with this. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly text?: string;
    }
  /** Does nothing and answers 200 with any text. */
  | { readonly kind: "text"; readonly text: string }
  /** Does nothing and closes the connection. */
  | { readonly kind: "cut" }
  /** Closes the connection when so many bytes of the body have arrived. */
  | { readonly kind: "cut-upload"; readonly after: number }
  /** Does what is asked for and closes the connection instead of answering. */
  | { readonly kind: "cut-answer" }
  /** Does what is asked for and answers with this instead of what it should. */
  | {
      readonly kind: "done";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly text?: string;
    }
  /** Does what is asked for and puts control characters into every text of its answer. */
  | { readonly kind: "hostile" }
  /** Does what is asked for and answers after so many milliseconds. */
  | { readonly kind: "slow"; readonly milliseconds: number };

/** A server with the contract of the management API, for one project. */
export interface ManagementServer {
  /** Base address of the API, with `/api/v1`. */
  readonly url: string;
  /** Every request so far, those that went wrong included. */
  readonly received: readonly ReceivedRequest[];
  /** What is there; tests may look and change. */
  readonly versions: readonly TestVersion[];
  readonly tags: readonly TestTag[];
  readonly webhooks: readonly TestWebhook[];
  /** A deployed version, which tests may change. */
  version(name: string, version: string): TestVersion;
  /** Adds to the log of a version. */
  log(name: string, version: string, ...entries: TestLogEntry[]): void;
  /** Faults of the next exchanges, one each. */
  fail(...faults: ManagementFault[]): void;
  /** A fault for every exchange that fits. */
  rule(judge: (method: string, path: string) => ManagementFault | undefined): void;
  stop(): Promise<void>;
}

/** Starts a server on a free port of the loop-back interface. */
export async function startManagementServer(options: ManagementOptions): Promise<ManagementServer> {
  const state: ManagementState = { versions: [], tags: [], webhooks: [] };
  const operations = createOperations(state, options);
  const received: ReceivedRequest[] = [];
  const faults: ManagementFault[] = [];
  let judge: (method: string, path: string) => ManagementFault | undefined = () => undefined;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", headers } = request;
    const url = new URL(request.url ?? "", "http://127.0.0.1");
    const fault = faults.shift() ?? judge(method, url.pathname);
    const bytes = await readBody(request, fault?.kind === "cut-upload" ? fault.after : undefined);
    const got: ReceivedRequest = {
      method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers,
      ...(bytes && (await decodeBody(bytes, headers["content-type"] ?? ""))),
    };
    received.push(got);
    if (fault && (fault.kind === "cut" || fault.kind === "cut-upload")) return void response.destroy();
    if (fault?.kind === "status") return void response.writeHead(fault.status, fault.headers).end(fault.text);
    if (fault?.kind === "text") return void response.end(fault.text);
    const { status, type, value } = run(got, url);
    if (fault?.kind === "cut-answer") return void response.destroy();
    if (fault?.kind === "done") return void response.writeHead(fault.status, fault.headers).end(fault.text);
    if (fault?.kind === "slow") await new Promise((resolve) => setTimeout(resolve, fault.milliseconds));
    response
      .writeHead(status, { "content-type": type })
      .end(JSON.stringify(fault?.kind === "hostile" ? bedevil(value) : value));
  }

  function run(got: ReceivedRequest, url: URL): { status: number; type: string; value: unknown } {
    try {
      const matched = authorize(got, url);
      const value = operations[matched.operation.id]?.({
        parameters: readParameters(matched, url.searchParams),
        origin,
        ...readContent(matched, got),
      });
      checkOwnAnswer(matched.operation, value);
      return { status: matched.operation.status, type: "application/json", value };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { status, slug, title, message: detail, errors } = error;
      const value = {
        type: `${origin}/api/errors/${slug}`,
        title,
        status,
        detail,
        instance: got.path,
        ...(errors && { errors }),
      };
      return { status, type: "application/problem+json", value };
    }
  }

  function authorize(got: ReceivedRequest, url: URL): Matched {
    if (!url.pathname.startsWith("/api/v1/"))
      throw new Problem(404, "not-found", "Not found", "Not below /api/v1.");
    if (got.headers.authorization !== `Bearer ${options.token}`) {
      throw new Problem(401, "unauthorized", "Unauthorized", "The token is missing or not known.");
    }
    const matched = matchOperation(got.method, segmentsOf(url.pathname));
    if (options.role === "viewer" && got.method !== "GET") {
      throw new Problem(403, "forbidden", "Forbidden", "The role Viewer may not change anything.");
    }
    return matched;
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      // A bug of this server, or a client that went away.
      if (!request.destroyed || !request.readableAborted) response.writeHead(500).end(String(error.stack));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const version = (name: string, label: string): TestVersion => {
    const found = state.versions.find((each) => each.name === name && each.version === label);
    if (!found) throw new Error(`The test server has no ${name}/${label}`);
    return found;
  };
  return {
    url: `${origin}/api/v1`,
    received,
    ...state,
    version,
    log: (name, label, ...entries) => void version(name, label).logs.push(...entries),
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

/** What a terminal would obey. */
export const controlCharacters = "\u001b]0;owned\u0007\u202e\r\n";

/** A value with control characters at the end of its texts; words of the contract stay. */
function bedevil(value: unknown): unknown {
  if (typeof value === "string") return /^[A-Z]+$/.test(value) ? value : `${value}${controlCharacters}`;
  if (Array.isArray(value)) return value.map(bedevil);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, bedevil(each)]));
}

function segmentsOf(path: string): string[] {
  try {
    return path
      .replace(/^\/api\/v1\//, "")
      .replace(/\/$/, "")
      .split("/")
      .map(decodeURIComponent);
  } catch {
    throw badRequest({ message: "the path is not encoded as it should be" });
  }
}
