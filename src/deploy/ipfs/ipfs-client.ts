import { posix } from "node:path";
import { foreignText } from "../../base/text/foreign-text.js";
import { isRecord, parseJson } from "../../base/text/json-value.js";
import type { World } from "../../base/world.js";
import type { HttpAnswer, HttpBody } from "../../web/http/http-request.js";
import { type SendOptions, send } from "../../web/http/send.js";
import { notAnAddress, serviceAddress } from "../../web/http/service-address.js";
import { cidV0 } from "../../web/ipfs/cid.js";
import { IpfsError } from "./ipfs-error.js";

/** A client of an IPFS node's Kubo RPC API. Failures are IpfsError, or HttpError if it is unreachable. */
export interface IpfsClient {
  /** Protocol, host and port. */
  readonly origin: string;
  /**
   * Adds and pins a file, and verifies the hash that the node returns. Idempotent.
   * @param path the path that messages show
   * @returns the hash, `Qm…`
   */
  addFile(path: string, bytes: Uint8Array): Promise<string>;
  /** Pins a file unless it is already pinned. */
  verifyPinned(cid: string): Promise<void>;
  /**
   * Sends a request that only an IPFS node answers.
   * @throws if another server answers, or none
   */
  verify(): Promise<void>;
}

/** Options that make a node use the file layout of `graph deploy`, whatever its configuration. */
const likeGraphDeploy = {
  pin: "true",
  "wrap-with-directory": "false",
  progress: "false",
  "cid-version": "0",
  "raw-leaves": "false",
  chunker: "size-262144",
};

/**
 * @param url of the RPC API, with or without `/api/v0`
 * @throws IpfsError if it is not a web URL
 */
export function createIpfsClient(url: string, world: World, options: SendOptions = {}): IpfsClient {
  const address = serviceAddress(url, "/api/v0");
  if (!address) throw new IpfsError(`The address of the IPFS node ${notAnAddress}`);
  const { origin } = address;

  function post(
    command: string,
    query: Readonly<Record<string, string>>,
    more: { readonly body?: HttpBody; readonly retry: boolean },
  ): Promise<HttpAnswer> {
    const target = address?.at(`/api/v0/${command}`, query) ?? "";
    return send(
      { method: "POST", url: target, shown: `${origin}/api/v0/${command}`, ...more },
      world,
      options,
    );
  }

  return {
    origin,
    async addFile(path, bytes) {
      const file = {
        name: "file",
        filename: encodeURIComponent(posix.basename(path)),
        contentType: "application/octet-stream",
        bytes,
      };
      const answer = await post("add", likeGraphDeploy, {
        body: { kind: "multipart", parts: [file] },
        retry: true,
      });
      if (answer.status !== 200) throw refused(`IPFS at ${origin} did not add "${path}"`, answer);
      const wanted = cidV0(bytes);
      const hash = firstHash(answer.text);
      if (hash === wanted) return wanted;
      if (hash === undefined) throw refused(`IPFS at ${origin} did not return the hash of "${path}"`, answer);
      throw new IpfsError(
        `IPFS at ${origin} returned the hash ${foreignText(hash)} for "${path}", but the hash of its content is ${wanted}; ` +
          "the file was changed on the way, or the node did not use the requested chunking",
      );
    },
    async verify() {
      const answer = await post("version", {}, { retry: true });
      const said = parseJson(answer.text);
      if (answer.status === 200 && isRecord(said) && typeof said.Version === "string") return;
      throw refused(`${origin} did not answer as an IPFS node does`, answer);
    },
    async verifyPinned(cid) {
      // A node responds with an error when something is not pinned; some do not implement the endpoint.
      const held = await post("pin/ls", { arg: cid }, { retry: false });
      if (held.status === 200 && isPinned(held.text, cid)) return;
      const answer = await post("pin/add", { arg: cid }, { retry: true });
      if (answer.status === 200 && isRecord(parseJson(answer.text))) return;
      throw refused(`IPFS at ${origin} did not pin ${cid}`, answer);
    },
  };
}

/** The hash in the first line of a response; lines about folders may follow. */
function firstHash(text: string): string | undefined {
  const line = parseJson(text.split("\n", 1)[0] ?? "");
  return isRecord(line) && typeof line.Hash === "string" ? line.Hash : undefined;
}

function isPinned(text: string, cid: string): boolean {
  const answer = parseJson(text);
  return isRecord(answer) && isRecord(answer.Keys) && Object.hasOwn(answer.Keys, cid);
}

function refused(fact: string, { status, text }: HttpAnswer): IpfsError {
  const body = parseJson(text);
  const said = foreignText(isRecord(body) && typeof body.Message === "string" ? body.Message : text);
  const advice =
    status === 401 || status === 403
      ? "; it requires a user and a password, which you can put in its address"
      : "";
  return new IpfsError(`${fact} (status ${status})${said === "" ? "" : `: ${said}`}${advice}`);
}
