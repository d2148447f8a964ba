import { publicHyperSyncOf, publicPortalOf } from "../../chains/history-services.js";
import { chainOfName } from "../../chains/look-up-chain.js";
import { type SourceKind, type SourcePlace, sourceKinds } from "../../runtime/sources/create-source.js";
import { isWebAddress } from "../../web/http/address.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { meantChain, splitNodeOption } from "./node-option.js";

const isKind = (word: string | undefined): word is SourceKind =>
  word !== undefined && (sourceKinds as readonly string[]).includes(word);

type SourceEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Parses `--source <chain>=<kind>=<url>`, without the chain when there is one, and without the address for the public service
 * of that kind. Addresses may contain keys, so no message shows one.
 * @param env has the token of HyperSync, under our name or the one of its own tools
 * @returns the sources by chain
 * @throws UsageError for another kind of source, an invalid URL, a chain that is not among them, and a chain without a
 * known public service
 */
export function findSources(
  given: readonly string[],
  chains: readonly string[],
  env: SourceEnvironment,
): ReadonlyMap<string, SourcePlace> {
  const sources = new Map<string, SourcePlace>();
  const has = `Chains: ${chains.join(", ")}`;
  for (const text of given) {
    const {
      chain: written = chains.length === 1 ? chains[0] : undefined,
      kind,
      url,
    } = splitSource(text, has);
    if (written === undefined)
      throw new UsageError(`--source: say which chain it serves: <chain>=${kind}=<url>. ${has}`);
    const chain = meantChain(written, chains);
    if (chain === undefined) throw new UsageError(`--source: unknown chain "${written}". ${has}`);
    if (sources.has(chain)) throw new UsageError(`--source is given twice for ${chain}.`);
    sources.set(chain, placeOf({ chain, kind, url }, env));
  }
  return sources;
}

/**
 * Parses one value of `--source` for a command that knows no chains. The chain is only required where there is no address.
 * @throws UsageError as `findSources`
 */
export function findSource(text: string, env: SourceEnvironment): SourcePlace {
  return placeOf(splitSource(text), env);
}

function placeOf({ chain, kind, url }: SourceOption, env: SourceEnvironment): SourcePlace {
  if (url === undefined && chain === undefined)
    throw new UsageError(`--source: say which chain, or pass an address: <chain>=${kind}, or ${kind}=<url>.`);
  const address = url ?? publicAddress(kind, chain ?? "");
  const of = chain === undefined ? "" : ` for ${chain}`;
  if (!isWebAddress(address))
    throw new UsageError(`--source: the address${of} must start with http:// or https://`);
  const token = env.GRAPHLOOM_HYPERSYNC_TOKEN || env.ENVIO_API_TOKEN || undefined;
  return { kind, url: address, ...(kind === "hypersync" && token !== undefined && { token }) };
}

interface SourceOption {
  readonly chain?: string | undefined;
  readonly kind: SourceKind;
  readonly url?: string | undefined;
}

function splitSource(text: string, has = ""): SourceOption {
  const { chain: first, url: rest } = splitNodeOption(text);
  if (isKind(first)) return { kind: first, url: rest };
  if (isKind(rest)) return { chain: first, kind: rest };
  const { chain: kind, url } = splitNodeOption(rest);
  if (first !== undefined && isKind(kind)) return { chain: first, kind, url };
  throw new UsageError(
    `--source: pass <chain>=<kind>=<url>. The kinds of sources are ${sourceKinds.join(" and ")}. ${has}`.trimEnd(),
  );
}

/** @throws UsageError if none is known */
function publicAddress(kind: SourceKind, name: string): string {
  const chainId = chainOfName(name)?.chainId;
  const address = chainId && (kind === "portal" ? publicPortalOf(chainId) : publicHyperSyncOf(chainId));
  if (address) return address;
  throw new UsageError(
    `--source: no public ${kind} of ${name} is known. Pass its address: ${name}=${kind}=<url>`,
  );
}
