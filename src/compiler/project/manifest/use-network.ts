import { Document, parse } from "yaml";
import { quote, quotePath } from "../../../base/text/quote.js";
import { nearName } from "../../diagnostics/correct-name.js";
import type { Report } from "../../diagnostics/report.js";
import type { Host } from "../../host.js";
import type { Location } from "../../source/source.js";
import { readText } from "../read-text.js";

/** The network for which a subgraph is built, from a file with addresses per network. */
export interface NetworkChoice {
  readonly name: string;
  /** Path of `networks.json` for the host. */
  readonly file: string;
}

interface Source {
  name: string;
  network?: unknown;
  source: { abi?: unknown; address?: unknown; startBlock?: unknown };
}

interface Entry {
  readonly address?: unknown;
  readonly startBlock?: unknown;
}

/**
 * The text of a manifest with the addresses and start blocks of a network, byte for byte what graph-cli writes into
 * the file: the whole manifest without comments.
 * @param at the location in the manifest to show in messages, by data source index
 * @returns `undefined` after a reported error
 */
export async function useNetwork(
  text: string,
  { name, file }: NetworkChoice,
  host: Host,
  at: (index: number) => Location,
  report: Report,
): Promise<string | undefined> {
  const networks = await readNetworks(file, host, report);
  if (!networks) return undefined;
  const fault = (message: string, details = {}): undefined => {
    report.error("manifest-network", undefined, message, details);
    return undefined;
  };
  const network = networks[name];
  if (!isMap(network)) {
    const near = nearName(name, Object.keys(networks))?.name;
    return fault(`${quotePath(file)} has no network ${quote(name)}`, {
      hint: near ? `write ${quote(near)}` : `use one of ${Object.keys(networks).map(quote).join(", ")}`,
    });
  }
  const subgraph: unknown = parse(text);
  if (!isMap(subgraph) || !Array.isArray(subgraph.dataSources)) return text;
  const sources = subgraph.dataSources as unknown[];
  let sound = true;
  for (const [index, source] of sources.entries()) {
    if (!isSource(source)) continue;
    const entry = Object.hasOwn(network, source.name) ? network[source.name] : undefined;
    if (!isMap(entry)) {
      sound = false;
      report.error(
        "manifest-network",
        at(index),
        `${quotePath(file)} has no data source ${quote(source.name)} under ${quote(name)}`,
        { hint: `add it there, with its address on ${name}` },
      );
      continue;
    }
    placeOn(name, source, entry);
  }
  if (!sound) return undefined;
  if (Array.isArray(subgraph.templates))
    subgraph.templates = subgraph.templates.map((template: object) => ({ ...template, network: name }));
  const document = new Document();
  // A plain value is converted with its own defaults, as in graph-cli.
  (document as { contents: unknown }).contents = subgraph;
  return document.toString();
}

/** Like graph-cli, drops the end block and similar settings unless the file of networks has them. */
function placeOn(network: string, source: Source, entry: Readonly<Record<string, unknown>>): void {
  const { address, startBlock }: Entry = entry;
  const isSame =
    source.network === network &&
    address === source.source.address &&
    startBlock === source.source.startBlock;
  if (isSame) return;
  source.network = network;
  source.source = { ...(source.source.abi ? { abi: source.source.abi } : {}), ...entry };
}

async function readNetworks(
  file: string,
  host: Host,
  report: Report,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const read = await readText(file, host);
  if (read.kind !== "text") {
    report.error("manifest-network", undefined, `the file of networks ${quotePath(file)} ${read.reason}`, {
      hint: "name the file with --network-file",
    });
    return undefined;
  }
  try {
    const networks: unknown = JSON.parse(read.text);
    if (isMap(networks)) return networks;
  } catch {
    // Reported below.
  }
  report.error("manifest-network", undefined, `the file of networks ${quotePath(file)} is not a JSON object`);
  return undefined;
}

function isSource(value: unknown): value is Source {
  return isMap(value) && typeof value.name === "string" && isMap(value.source);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
