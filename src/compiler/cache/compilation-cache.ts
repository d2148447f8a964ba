import { deserialize, serialize } from "node:v8";
import type { Compilation, WasmOptions } from "../compilation.js";
import { cacheKey } from "./cache-key.js";
import type { CacheStore } from "./cache-store.js";
import { type PackedCompilation, packCompilation, unpackCompilation } from "./packed-compilation.js";
import type { Asked, ReadOutcome, RecordedHost } from "./recorded-host.js";

/** The parameters of a compilation, except the files that it reads. */
export interface CompileRequest {
  /** The pipeline function to call. */
  readonly command: "build" | "check";
  /** Path for the host. */
  readonly configPath: string;
  readonly options: WasmOptions;
}

/**
 * A step towards a cached compilation. A compilation may read more files depending on the content of others, so the
 * lookup proceeds in steps: each step's key derives from the previous step and the content of its files.
 */
type Step =
  | { readonly kind: "files"; readonly files: readonly Asked[] }
  | { readonly kind: "compilation"; readonly compilation: PackedCompilation };

/**
 * Looks up a compilation; `undefined` unless all its inputs are unchanged.
 * @param host reads the inputs, each once
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
 * Stores a compilation in the cache if it is reproducible.
 * @param host has recorded exactly the reads of this compilation
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
  // The configuration names all other files. Folders are listed to find missing ones.
  const files = others.filter((one) => "path" in one);
  const folders = others.filter((one) => "folder" in one);
  for (const step of [[first], files, folders].filter(({ length }) => length > 0)) {
    await put(key, { kind: "files", files: step });
    key = nextKey(key, step, await host.outcomes(step));
  }
  await put(key, { kind: "compilation", compilation: packed });
}

/** Whether a compilation is reproducible. Crashes, timeouts and unreadable files may not recur. */
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
