import type { Outgoing } from "../../web/outgoing/outgoing.js";

/** Milliseconds that an answer may take, and the bytes that it may have. */
const timeout = 10_000;
const mostBytes = 2_000_000;
const redirects = 3;

/** Reads texts at web addresses that a definition names. */
export function addressReader(outgoing: Pick<Outgoing, "send">): (url: string) => Promise<string> {
  return async (url) => {
    const { status, body } = await outgoing.send({ url, timeout, mostBytes, redirects });
    if (status !== 200) throw new Error(`the server answers with status ${status}`);
    return new TextDecoder().decode(body);
  };
}
