import type { Ask } from "./management-operations.js";
import { badRequest } from "./management-problem.js";

/** The part of a list that is asked for, of at most so many entries. */
export function pageOf(all: readonly unknown[], { parameters }: Ask, most: number): object {
  const size = Math.min(Number(parameters.page_size ?? 50), most);
  const start = parameters.page_token === undefined ? 0 : readToken(String(parameters.page_token));
  const next = start + size;
  return {
    data: all.slice(start, next),
    pagination: { next_page_token: next < all.length ? makeToken(next) : null, page_size: size },
  };
}

/** A list that is one page. */
export function onePage(data: readonly unknown[]): object {
  return { data, pagination: { next_page_token: null, page_size: 50 } };
}

function makeToken(start: number): string {
  return Buffer.from(`page ${start}`).toString("base64url");
}

function readToken(token: string): number {
  const match = /^page (\d+)$/.exec(Buffer.from(token, "base64url").toString());
  if (!match) throw badRequest({ field: "page_token", message: "is not one of ours" });
  return Number(match[1]);
}
