import type { IncomingMessage, ServerResponse } from "node:http";
import { openSmallServer } from "../small-server.js";

/** The response to a browser, and whether its request was the expected one. */
export interface LoopbackAnswer {
  readonly isAwaited: boolean;
  readonly text: string;
}

/** A listener that only this machine can reach, for a single request. */
export interface Loopback {
  /** Its address: `http://127.0.0.1:<port>/callback`. */
  readonly address: string;
  /**
   * Waits for the expected request and returns its query. Rejects with the signal's reason once the signal is
   * aborted.
   */
  wait(signal: AbortSignal): Promise<URLSearchParams>;
  /** Closes the listener and all its connections. */
  close(): Promise<void>;
}

const host = "127.0.0.1";
const path = "/callback";

/** Milliseconds; a browser sends its whole request at once. */
const patience = 10_000;

/**
 * Listens on a free port of the loopback interface.
 * @param judge decides the response to a request with a query; not called again after the expected request
 */
export async function openLoopback(judge: (query: URLSearchParams) => LoopbackAnswer): Promise<Loopback> {
  let found: URLSearchParams | undefined;
  let tell: (query: URLSearchParams) => void = () => undefined;
  const answer = (request: IncomingMessage, response: ServerResponse): unknown => {
    const query = found ? undefined : queryOf(request, own);
    if (!query) return show(response, 404, "This page does not exist.");
    const { isAwaited, text } = judge(query);
    if (isAwaited) {
      found = query;
      response.once("close", () => tell(query));
    }
    return show(response, isAwaited ? 200 : 400, text);
  };
  const limits = {
    maxHeaderSize: 16_384,
    headersTimeout: patience,
    requestTimeout: patience,
    mostConnections: 16,
  };
  const server = await openSmallServer({ host, port: 0 }, limits, answer);
  const own = new URL(server.url).host;
  return {
    address: `http://${own}${path}`,
    wait: (signal) =>
      new Promise((resolve, reject) => {
        const fail = (): void => reject(signal.reason);
        if (signal.aborted) return fail();
        signal.addEventListener("abort", fail, { once: true });
        tell = resolve;
        if (found) resolve(found);
      }),
    close: () => server.close(),
  };
}

/** `undefined` for any other request. Checks the host, because a foreign name may resolve to this machine. */
function queryOf({ method, url = "", headers }: IncomingMessage, own: string): URLSearchParams | undefined {
  const [asked, query = ""] = url.split("?", 2);
  return method === "GET" && asked === path && headers.host === own ? new URLSearchParams(query) : undefined;
}

function show(response: ServerResponse, status: number, text: string): void {
  const escaped = text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  response
    .writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      connection: "close",
    })
    .end(`<!doctype html>\n<html lang="en"><title>graphloom</title><p>${escaped}</p></html>\n`);
}
