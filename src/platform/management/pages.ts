import type { Pagination } from "../../api/contract.js";
import { isRecord, parseJson } from "../../base/text/json-value.js";
import { Problem } from "../problem.js";

/** The default number of entries in a page. */
export const usualPageSize = 50;

/** An entry of a list of versions and tags, which the next page follows. */
export interface ListPlace {
  readonly name: string;
  readonly version: string;
}

/** The pagination of a page. @param last the last entry, when more follow */
export function pagination(size: number, last: ListPlace | undefined): Pagination {
  return { next_page_token: last ? tokenOf(last) : null, page_size: size };
}

function tokenOf({ name, version }: ListPlace): string {
  return Buffer.from(JSON.stringify([name, version])).toString("base64url");
}

/** The entry that a page token names. @throws Problem `bad-request` when this API did not issue the token */
export function decodePageToken(token: string): ListPlace {
  const value = parseJson(Buffer.from(token, "base64url").toString());
  const parts: readonly unknown[] = isRecord(value) || !Array.isArray(value) ? [] : value;
  const [name, version] = parts;
  // The database cannot compare a string with a zero byte.
  if (
    parts.length === 2 &&
    typeof name === "string" &&
    typeof version === "string" &&
    !/\0/.test(name + version)
  ) {
    return { name, version };
  }
  const errors = [{ field: "page_token", message: "was not issued by this API" }];
  throw new Problem("bad-request", "This API did not issue the page token.", { errors });
}
