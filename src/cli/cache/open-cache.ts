import { isAbsolute, join, resolve } from "node:path";
import { quote } from "../../base/quote.js";
import { visible } from "../../base/visible.js";
import { createNodeCache, defaultCacheLimit, type NodeCache } from "../../node/cache.js";
import type { CacheArguments } from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";

/** Where the cache is, and how large it may become. */
export interface CachePlace {
  /** Absolute. */
  readonly folder: string;
  /** In bytes; 0 keeps nothing. */
  readonly limit: number;
  /** What is wrong with the limit that the environment gives, which is not used then. */
  readonly complaint?: string;
}

const megabyte = 1024 * 1024;

/**
 * The cache of the user; none when it is not wanted, or when the environment does not say where it could be. Why it is
 * of no use is said only to those who want to know it.
 */
export function openCache({ cache, verbose }: CacheArguments, terminal: Terminal): NodeCache | undefined {
  const place = cache ? findCache(terminal) : undefined;
  if (!place || place.limit === 0) return undefined;
  const { folder, limit, complaint } = place;
  const onTrouble = verbose ? (message: string) => terminal.err(`${visible(message)}\n`) : undefined;
  if (complaint !== undefined) onTrouble?.(complaint);
  return createNodeCache({ folder, limit, onTrouble });
}

/** Where the cache of the user is: `GRAPHLOOM_CACHE`, or else `graphloom` in the folder that there is for caches. */
export function findCache({ env = {}, cwd }: Terminal): CachePlace | undefined {
  const { GRAPHLOOM_CACHE, XDG_CACHE_HOME, HOME, LOCALAPPDATA } = env;
  const size = sizeOf(env.GRAPHLOOM_CACHE_SIZE);
  if (GRAPHLOOM_CACHE) return { folder: resolve(cwd, GRAPHLOOM_CACHE), ...size };
  // The specification has relative paths ignored.
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME))
    return { folder: join(XDG_CACHE_HOME, "graphloom"), ...size };
  if (HOME) return { folder: join(resolve(cwd, HOME), ".cache", "graphloom"), ...size };
  if (LOCALAPPDATA) return { folder: join(resolve(cwd, LOCALAPPDATA), "graphloom", "cache"), ...size };
  return undefined;
}

function sizeOf(size: string | undefined): Omit<CachePlace, "folder"> {
  if (!size) return { limit: defaultCacheLimit };
  if (/^\d{1,9}$/.test(size)) return { limit: Number(size) * megabyte };
  const complaint =
    `GRAPHLOOM_CACHE_SIZE is ${quote(size)}, which is no whole number of MB: ` +
    `${defaultCacheLimit / megabyte} is used`;
  return { limit: defaultCacheLimit, complaint };
}
