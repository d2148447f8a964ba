import { ChainError } from "./chain.js";
import { clip } from "./rpc-errors.js";

/** The parts of `fetch` that are used. */
export type Fetch = (
  url: string,
  request: {
    readonly method: "POST";
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly signal: AbortSignal;
  },
) => Promise<FetchAnswer>;

export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** What came back for a body that was posted. */
export type Exchange =
  /** JSON of whatever shape, with an HTTP status that does not rule it out. */
  | { readonly kind: "json"; readonly value: unknown; readonly status: number }
  /** Worth trying again; `strained` when the node was there and did not manage. */
  | { readonly kind: "failed"; readonly why: string; readonly strained: boolean; readonly wait?: number }
  /** A status that asking again will not change. */
  | { readonly kind: "refused"; readonly why: string; readonly status: number };

/** A node's address, its secrets kept apart. */
export interface Endpoint {
  /** What error messages may show of it: protocol, host and port. */
  readonly name: string;
  /** Posts one JSON text. Never rejects; `now` is in milliseconds since 1970. */
  post(body: string, signal: AbortSignal, now: () => number): Promise<Exchange>;
  /** A foreign text without the address's secrets, which nodes and network libraries like to repeat. */
  redact(text: string): string;
}

/** @throws ChainError when the text is no address of the web; without showing it, since it may hold a key */
export function createEndpoint(address: string, fetch: Fetch): Endpoint {
  const url = parse(address);
  const secrets = secretsOf(address, url);
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (url.username || url.password) headers.authorization = basicAuthorization(url);
  const target = new URL(url);
  target.username = "";
  target.password = "";

  const redact = (text: string): string => {
    let clean = text;
    for (const secret of secrets) clean = clean.replaceAll(secret, "…");
    return clean;
  };

  async function post(body: string, signal: AbortSignal, now: () => number): Promise<Exchange> {
    let answer: FetchAnswer;
    try {
      answer = await fetch(target.href, { method: "POST", headers, body, signal });
    } catch (error) {
      return { kind: "failed", why: redact(wordsOf(error, signal)), strained: signal.aborted };
    }
    try {
      return judge(answer, await answer.text(), now(), redact);
    } catch (error) {
      const why = `the answer broke off (${redact(wordsOf(error, signal))})`;
      return { kind: "failed", why, strained: true };
    }
  }

  return { name: `${url.protocol}//${url.host}`, post, redact };
}

function parse(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new ChainError('The address of the node is not a URL that starts with "http://" or "https://"');
}

/** Whatever may be a key: user, password, path, the longer parts of it, values of the query. Long ones come first. */
function secretsOf(address: string, url: URL): readonly string[] {
  const path = url.pathname.split("/").filter((part) => part.length > 7);
  const raw = [
    address,
    url.href,
    url.pathname + url.search,
    url.password,
    ...path,
    ...url.searchParams.values(),
  ];
  const named = url.username.length > 3 ? [...raw, url.username] : raw;
  const all = new Set(named.flatMap((text) => [text, decode(text)]));
  return [...all].filter((text) => text.length > 1).sort((a, b) => b.length - a.length);
}

function basicAuthorization(url: URL): string {
  const bytes = new TextEncoder().encode(`${decode(url.username)}:${decode(url.password)}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone per cent sign stands for itself.
    return text;
  }
}

/** Network libraries hide the reason (ECONNREFUSED and so on) in the cause. */
function wordsOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "no answer in time";
  if (!(error instanceof Error)) return clip(String(error));
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const words = cause ? cause.message || (cause as { code?: string }).code : undefined;
  return clip(words ? `${error.message}: ${words}` : error.message);
}

/** Statuses of proxies and of nodes that are overloaded; the text that comes along is never an answer. */
const UNAVAILABLE: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

function judge(answer: FetchAnswer, text: string, now: number, redact: (text: string) => string): Exchange {
  const { status } = answer;
  const said = text.trim() === "" ? "" : `: ${clip(redact(text.slice(0, 1000)))}`;
  if (UNAVAILABLE.has(status)) {
    const wait = waitOf(answer.headers.get("retry-after"), now);
    const failed = { kind: "failed", why: `HTTP status ${status}${said}`, strained: status === 504 } as const;
    return wait === undefined ? failed : { ...failed, wait };
  }
  const value = parseJson(text);
  if (isAnswer(value)) return { kind: "json", value, status };
  if (status >= 500) return { kind: "failed", why: `HTTP status ${status}${said}`, strained: true };
  if (status >= 300) return { kind: "refused", why: `HTTP status ${status}${said}`, status };
  return { kind: "failed", why: `not the JSON of an answer${said || ": nothing at all"}`, strained: true };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Told by the caller, together with the text.
    return undefined;
  }
}

function isAnswer(value: unknown): boolean {
  if (Array.isArray(value)) return true;
  return typeof value === "object" && value !== null && ("result" in value || "error" in value);
}

/** Milliseconds that a `Retry-After` header asks for: seconds, or a date. */
function waitOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  if (header.trim() !== "" && Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
