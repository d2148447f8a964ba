import { id } from "ethers/hash";
import type { Abi } from "../abi.js";
import type { ManifestNode } from "../manifest/manifest-node.js";
import type { CallHandler, EventHandler, Template } from "./built-subgraph.js";
import { readBlockHandlers } from "./read-block-handlers.js";
import { readDeclaredCalls } from "./read-declared-calls.js";
import { isAtLeast } from "./versions.js";

interface Versions {
  readonly specVersion: string;
  readonly apiVersion: string;
}

/**
 * Reads the handlers of a mapping. A handler may refer to something that the ABI lacks; it then fails when triggered.
 * @param abi ABI in which to look up the handlers' signatures
 * @param abis all ABIs of the mapping, by name
 */
export function readHandlers(
  mapping: ManifestNode,
  abi: Abi,
  abis: ReadonlyMap<string, Abi>,
  versions: Versions,
): Pick<Template, "eventHandlers" | "callHandlers" | "blockHandlers"> {
  abi.check();
  return {
    eventHandlers: mapping
      .at("eventHandlers")
      .items()
      .map((node) => {
        const handler = readEventHandler(node, versions);
        const event = abi.event(handler.event);
        const { specVersion } = versions;
        const scope = event && { specVersion, event, abis };
        return { ...handler, calls: scope ? readDeclaredCalls(node.at("calls"), scope) : [] };
      }),
    callHandlers: mapping.at("callHandlers").items().map(readCallHandler),
    blockHandlers: readBlockHandlers(mapping, versions.specVersion),
  };
}

function readEventHandler(node: ManifestNode, versions: Versions): Omit<EventHandler, "calls"> {
  const event = node.at("event").text();
  const topic0 = node.at("topic0");
  return {
    event,
    topic0: topic0.exists ? readTopic0(topic0) : id(event.replaceAll("indexed ", "").replaceAll(" ", "")),
    topicFilters: readTopicFilters(node, versions),
    handler: node.at("handler").text(),
    receipt: readReceipt(node.at("receipt"), versions),
  };
}

function readCallHandler(node: ManifestNode): CallHandler {
  const signature = node.at("function").text();
  return {
    function: signature,
    selector: id(signature).slice(0, 10),
    handler: node.at("handler").text(),
  };
}

function readTopicFilters(node: ManifestNode, { specVersion }: Versions): EventHandler["topicFilters"] {
  const filters = ["topic1", "topic2", "topic3"].map((key) => {
    const values = node.at(key);
    if (values.exists && !isAtLeast(specVersion, "1.2.0")) {
      throw values.error(`requires specVersion 1.2.0, but the manifest has ${specVersion}`);
    }
    return values.exists ? values.items().map(readTopic) : undefined;
  });
  return filters.some((values) => values !== undefined) ? filters : [];
}

const topic = /^0x[0-9a-fA-F]{1,64}$/;
const wholeTopic = /^(?:0x)?[0-9a-fA-F]{64}$/;

/** @throws BundleError for a first topic that is not 32 bytes long, and so would never match */
export function checkTopic0(node: ManifestNode): void {
  if (!node.exists || wholeTopic.test(node.text())) return;
  throw node.error(`is ${node.text()}, which is not 32 bytes of hex`);
}

/** The first topic. A shorter one, as in some earlier deployments, never matches. */
function readTopic0(node: ManifestNode): string {
  const text = node.text();
  return wholeTopic.test(text) ? `0x${text.slice(-64).toLowerCase()}` : readTopic(node);
}

/** A topic as 32 bytes of hex, padded with leading zeros. */
function readTopic(node: ManifestNode): string {
  const text = node.text();
  if (!topic.test(text)) throw node.error(`is ${text}, which is not up to 32 bytes of hex in quotes`);
  return `0x${text.slice(2).toLowerCase().padStart(64, "0")}`;
}

function readReceipt(node: ManifestNode, { apiVersion }: Versions): boolean {
  const receipt = node.exists && node.boolean();
  if (receipt && !isAtLeast(apiVersion, "0.0.7")) {
    throw node.error(`requires apiVersion 0.0.7, but the mapping has ${apiVersion}`);
  }
  return receipt;
}
