import nodePath from "node:path";
import { quote } from "../../base/text/quote.js";
import { visible } from "../../base/text/visible.js";
import { createNodeCache, defaultCacheLimit, type NodeCache } from "../../machine/compiler/cache.js";
import type { Terminal } from "../terminal/terminal.js";
import type { CacheArguments } from "../terminal/usage/options.js";

/** Folder and size limit of the cache. */
export interface CachePlace {
  /** Absolute path. */
  readonly folder: string;
  /** In bytes; 0 turns the cache off. */
  readonly limit: number;
  /** Why the limit in the environment is invalid; the default then applies. */
  readonly complaint?: string;
}

const megabyte = 1024 * 1024;

/**
 * Opens the user's compilation cache; `undefined` when it is turned off, or when the environment names no
 * folder for it. The reason why it cannot be used is reported only with `--verbose`.
 */
export function openCache({ cache, verbose }: CacheArguments, terminal: Terminal): NodeCache | undefined {
  const place = cache ? findCache(terminal) : undefined;
  if (!place || place.limit === 0) return undefined;
  const { folder, limit, complaint } = place;
  const onTrouble = verbose ? (message: string) => terminal.err(`${visible(message)}\n`) : undefined;
  if (complaint !== undefined) onTrouble?.(complaint);
  return createNodeCache({ folder, limit, onTrouble });
}

/**
 * Finds the folder of the user's cache: `GRAPHLOOM_CACHE`, or else `graphloom` in the system's folder for
 * caches.
 * @param path how this system writes paths
 */
export function findCache(
  { env = {}, cwd }: Pick<Terminal, "env" | "cwd">,
  { isAbsolute, join, resolve }: nodePath.PlatformPath = nodePath,
): CachePlace | undefined {
  const { GRAPHLOOM_CACHE, XDG_CACHE_HOME, HOME, LOCALAPPDATA } = env;
  const size = sizeOf(env.GRAPHLOOM_CACHE_SIZE);
  if (GRAPHLOOM_CACHE) return { folder: resolve(cwd, GRAPHLOOM_CACHE), ...size };
  // The XDG specification says to ignore relative paths.
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
    `GRAPHLOOM_CACHE_SIZE is ${quote(size)}, which is not a whole number of MB; ` +
    `using ${defaultCacheLimit / megabyte}`;
  return { limit: defaultCacheLimit, complaint };
}
