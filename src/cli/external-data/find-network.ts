import { suggest } from "../../base/text/suggest.js";
import { visible } from "../../base/text/visible.js";
import { chains } from "../../chains/chains.js";
import { chainOfName } from "../../chains/look-up-chain.js";
import { type DatasetChain, datasetChain } from "../../datasets/catalog/dataset-chain.js";
import { isWebAddress } from "../../web/http/address.js";
import { splitNodeOption, variableOf } from "../reader/node-option.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** A chain whose data is written; its folder has the same name. */
export type SyncedNetwork = DatasetChain;

/** @throws UsageError for a network that is neither known nor local */
export function findNetwork(given: string): SyncedNetwork {
  const chain = datasetChain(given);
  if (chain) return chain;
  const [near] = suggest(
    given,
    chains.map(({ prefix }) => prefix),
  );
  throw new UsageError(
    `--network: unknown network "${visible(given)}". ${near === undefined ? "Known networks include ethereum, base and matic, and local chains such as anvil." : `Did you mean ${near}?`}`,
  );
}

/**
 * The address of the network's node: `--rpc <url>` or `--rpc <network>=<url>`, or else the environment variable of one of
 * its names. Addresses may contain keys, so no message shows one.
 * @throws UsageError for an invalid address, one of another network, and when there is none
 */
export function findNode(
  given: readonly string[],
  written: string,
  { name, network }: SyncedNetwork,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  if (given.length > 1) throw new UsageError("Pass --rpc only once: the command reads one network.");
  const names = [...new Set([written, name, network])];
  const [first] = given;
  if (first !== undefined) {
    const { chain: of, url } = splitNodeOption(first);
    const isOther = of !== undefined && !names.includes(of) && chainOfName(of)?.prefix !== name;
    if (isOther)
      throw new UsageError(
        `--rpc: "${visible(of)}" is not the network. Pass --rpc ${visible(written)}=<url>.`,
      );
    return checked(url, "--rpc: the address");
  }
  for (const variable of names.map(variableOf)) {
    const url = environment[variable];
    if (url) return checked(url, variable);
  }
  throw new UsageError(
    `No node to read from. Pass --rpc <url>, or set ${variableOf(name)}. To read from an archive alone, pass --offline; from a graphloom server, --server.`,
  );
}

function checked(url: string, place: string): string {
  if (isWebAddress(url)) return url;
  throw new UsageError(`${place} must start with http:// or https://`);
}
