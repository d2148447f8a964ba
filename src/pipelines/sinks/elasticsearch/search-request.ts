import { createHash } from "node:crypto";
import type { World } from "../../../base/world.js";
import type { Outgoing } from "../../../web/outgoing/outgoing.js";
import { post, type Reply } from "../../http/post.js";
import { SinkError } from "../../state/sink-error.js";
import type { SearchServer } from "./search-secret.js";

/** An index of a search server, and how it is reached. */
export interface SearchIndex {
  readonly server: SearchServer;
  readonly index: string;
  readonly outgoing: Pick<Outgoing, "send">;
  readonly clock: Pick<World, "now">;
}

/** Milliseconds for an answer. */
const timeout = 60_000;
/** Bytes of an answer at most; a bulk request's has some hundred for each document. */
const mostBytes = 32 * 1024 * 1024;
/** Bytes of an id that servers take. */
const longestId = 512;

/** Sends a request to a search server. @param path begins with a slash */
export function postSearch(
  { server, outgoing, clock }: SearchIndex,
  path: string,
  type: string,
  body: string,
): Promise<Reply> {
  const { url, authorization, secrets, tls } = server;
  const headers = { "user-agent": "graphloom", "content-type": type };
  const secret = authorization === undefined ? undefined : { name: "authorization", value: authorization };
  return post(
    { url: `${url}${path}`, headers, secret, secrets, tls, body, timeout, mostBytes, excess: "refuse" },
    outgoing,
    () => clock.now(),
  );
}

/** The error of a request that failed. */
export function searchFailure({
  why,
  isTemporary,
  retryAfter,
}: Extract<Reply, { readonly kind: "failed" }>): SinkError {
  return new SinkError(`The server ${why}`, isTemporary, { retryAfter });
}

/** One value is the id itself; several are a list in JSON. Servers refuse long ids, so their hash is used. */
export function documentId(key: readonly string[]): string {
  const [only = "", ...others] = key;
  const id = others.length === 0 ? only : JSON.stringify(key);
  if (id !== "" && Buffer.byteLength(id) <= longestId) return id;
  return createHash("sha256").update(id).digest("hex");
}
