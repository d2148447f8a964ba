import { deserialize, serialize } from "node:v8";
import type { Compilation, WasmOptions } from "../compilation.js";
import { cacheKey } from "./cache-key.js";
import type { CacheStore } from "./cache-store.js";
import { type PackedCompilation, packCompilation, unpackCompilation } from "./packed-compilation.js";
import type { Asked, ReadOutcome, RecordedHost } from "./recorded-host.js";

/** What a compilation is the answer to, beside the files that it reads. */
export interface CompileRequest {
  /** The function of the pipeline. */
  readonly command: "build" | "check";
  /** As the host reads it. */
  readonly configPath: string;
  readonly options: WasmOptions;
}

/**
 * What is kept under a key. Which files a compilation reads is known only from what is in some of them, so that the way
 * to it has steps: the key of a step comes from the step before and from what its files hold.
 */
type Step =
  | { readonly kind: "files"; readonly files: readonly Asked[] }
  | { readonly kind: "compilation"; readonly compilation: PackedCompilation };

/**
 * The compilation of an earlier time, if everything it depended on is as it was then.
 * @param host reads again what was read then; what it has read is not read another time
 */
export async function recallCompilation(
  request: CompileRequest,
  host: RecordedHost,
  cache: CacheStore,
): Promise<Compilation | undefined> {
  let key = firstKey(request);
  for (;;) {
    const bytes = await cache.get(key);
    if (!bytes) return undefined;
    const step = deserialize(bytes) as Step;
    if (step.kind === "compilation") return unpackCompilation(step.compilation);
    key = nextKey(key, step.files, await host.outcomes(step.files));
  }
}

/**
 * Keeps a compilation, unless it could come out otherwise when it is made again.
 * @param host has recorded the reads of this compilation and of no other
 */
export async function keepCompilation(
  request: CompileRequest,
  host: RecordedHost,
  compilation: Compilation,
  cache: CacheStore,
): Promise<void> {
  const [first, ...others] = host.asked;
  if (!first) return;
  const outcomes = await host.outcomes(host.asked);
  const packed = isLasting(compilation, outcomes) ? packCompilation(compilation) : undefined;
  if (!packed) return;
  const put = (key: string, step: Step): Promise<void> => cache.put(key, serialize(step));
  let key = firstKey(request);
  // The configuration names all other files, and where these are missing others are looked for.
  const files = others.filter((one) => "path" in one);
  const folders = others.filter((one) => "folder" in one);
  for (const step of [[first], files, folders].filter(({ length }) => length > 0)) {
    await put(key, { kind: "files", files: step });
    key = nextKey(key, step, await host.outcomes(step));
  }
  await put(key, { kind: "compilation", compilation: packed });
}

/** The compiler may manage what it did not manage this time, and a file may be readable the next time. */
function isLasting({ diagnostics }: Compilation, outcomes: readonly ReadOutcome[]): boolean {
  const passing = new Set(["compiler-hung", "compiler-exhausted", "expression-crashes-compiler"]);
  return (
    !diagnostics.some(({ code }) => passing.has(code)) && !outcomes.some(({ kind }) => kind === "unreadable")
  );
}

function firstKey({ command, configPath, options }: CompileRequest): string {
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
  return cacheKey("compilation", { command, configPath, options: Object.fromEntries(sorted) });
}

function nextKey(key: string, files: readonly Asked[], outcomes: readonly ReadOutcome[]): string {
  return cacheKey("step", { key, files, outcomes });
}
