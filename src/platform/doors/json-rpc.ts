import { isRecord, parseJson } from "../../base/text/json-value.js";

/** A refusal that the client of a call gets. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Carries out a call. @throws RpcError */
export type RpcMethod = (params: unknown) => Promise<unknown>;

/** The most calls of a batch. */
const mostCalls = 100;

interface RpcCall {
  readonly jsonrpc: string;
  readonly method: string;
  readonly params?: unknown;
  readonly id?: unknown;
}

/**
 * Answers a JSON-RPC request as graph-node does, members in its order. It carries out a call without an id, but does
 * not return its result.
 * @param methods which turn unexpected failures into RpcErrors, too
 * @returns the body of an answer, which always has the status 200
 */
export async function answerRpc(text: string, methods: ReadonlyMap<string, RpcMethod>): Promise<string> {
  const body = parseJson(text);
  if (!Array.isArray(body)) {
    if (!isCall(body)) return JSON.stringify(parseError);
    return JSON.stringify((await answerCall(body, methods)) ?? success(null, null));
  }
  if (!body.every(isCall)) return JSON.stringify(parseError);
  if (body.length === 0 || body.length > mostCalls) return JSON.stringify(invalidRequest);
  const answers: object[] = [];
  for (const call of body) {
    const answer = await answerCall(call, methods);
    if (answer) answers.push(answer);
  }
  return JSON.stringify(answers);
}

/** The answer to a request that is refused as a whole. */
export function refusalBody(error: RpcError): string {
  return JSON.stringify(failure(error, null));
}

const parseError = failure(new RpcError(-32_700, "Parse error"), null);
const invalidRequest = failure(new RpcError(-32_600, "Invalid Request"), null);

function isCall(value: unknown): value is RpcCall {
  return isRecord(value) && typeof value.jsonrpc === "string" && typeof value.method === "string";
}

/** @returns undefined for a notification */
async function answerCall(
  { jsonrpc, method, params = null, id = null }: RpcCall,
  methods: ReadonlyMap<string, RpcMethod>,
): Promise<object | undefined> {
  if (jsonrpc !== "2.0") return invalidRequest;
  const answer = await outcomeOf(id, methods.get(method), params);
  return id === null ? undefined : answer;
}

async function outcomeOf(id: unknown, run: RpcMethod | undefined, params: unknown): Promise<object> {
  if (!run) return failure(new RpcError(-32_601, "Method not found"), id);
  try {
    return success(await run(params), id);
  } catch (error) {
    if (error instanceof RpcError) return failure(error, id);
    throw error;
  }
}

function success(result: unknown, id: unknown): object {
  return { id, jsonrpc: "2.0", result };
}

function failure({ code, message }: RpcError, id: unknown): object {
  return { error: { code, message }, id, jsonrpc: "2.0" };
}
