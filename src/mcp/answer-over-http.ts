import { createMcpHandler } from "@modelcontextprotocol/server";
import { createMcpServer, type McpOffer } from "./create-server.js";

/** One request over HTTP, whose body is parsed JSON. */
export interface HttpAsked {
  /** Absolute. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/** The answer to a request over HTTP. */
export interface HttpAnswered {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
}

/**
 * Answers one request over HTTP. Nothing is kept between requests, and no stream stays open: there are no subscriptions.
 * @throws the reason of the signal
 */
export async function answerOverHttp(offer: McpOffer, asked: HttpAsked): Promise<HttpAnswered> {
  const { url, headers, body, signal } = asked;
  const handler = createMcpHandler(() => createMcpServer(offer), {
    maxSubscriptions: 0,
    keepAliveMs: 0,
  });
  try {
    const request = new Request(url, { method: "POST", headers, signal });
    const answer = await handler.fetch(request, { parsedBody: body });
    const text = await answer.text();
    signal.throwIfAborted();
    return { status: answer.status, type: answer.headers.get("content-type") ?? undefined, text };
  } finally {
    await handler.close();
  }
}
