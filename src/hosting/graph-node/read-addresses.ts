import type { GraphNodeEngineAddresses } from "./doors.js";

/** The values of `--engine graph-node=…`. */
export interface GraphNodeOption extends GraphNodeEngineAddresses {
  /** Its database, to read entities from. */
  readonly postgres?: string;
}

/**
 * Reads `graph-node=<admin>,<status>,<query>,<ipfs>[,<postgres>]`.
 * @returns `undefined` for other forms
 */
export function readEngineOption(text: string): GraphNodeOption | undefined {
  const [name, list = ""] = split(text, "=");
  const [admin, status, query, ipfs, postgres, ...more] = list.split(",").map((part) => part.trim());
  if (name !== "graph-node" || more.length > 0) return undefined;
  const web = [admin, status, query, ipfs];
  if (!web.every((address) => address !== undefined && /^https?:\/\/./i.test(address))) return undefined;
  if (postgres !== undefined && !/^postgres(?:ql)?:\/\/./i.test(postgres)) return undefined;
  return {
    admin: admin ?? "",
    status: status ?? "",
    query: query ?? "",
    ipfs: ipfs ?? "",
    ...(postgres !== undefined && { postgres }),
  };
}

function split(text: string, sign: string): [string, string?] {
  const at = text.indexOf(sign);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + sign.length)];
}
