import type { Abi } from "../abi/abi.js";
import { nearName } from "../diagnostics/correct-name.js";
import type { Report } from "../diagnostics/report.js";
import type { Located } from "../source/source.js";
import type { StringNode, TreeNode } from "../source/tree.js";
import type { AbiDeclaration, Instance, OwnMapping, TemplateSource, ValidProject } from "./config.js";
import { readEnrich } from "./read-enrich.js";
import { booleanOf, childOf, itemsOf, membersOf, stringOf, stringsOf } from "./shape/tree-access.js";
import type { Soundness } from "./soundness.js";

/**
 * Reads the valid parts of a configuration. Leaves out invalid parts, so that one run checks all the rest; an unknown
 * key does not invalidate its object.
 */
export function readConfig(
  config: TreeNode,
  abis: readonly AbiDeclaration[],
  mapping: OwnMapping | undefined,
  soundness: Soundness,
  report: Report,
): ValidProject {
  const sound = (key: string): TreeNode | undefined => soundness.child(config, key);
  const name = sound("name");
  const chains = sound("chains");
  const written = itemsOf(childOf(config, "instances"));
  const instances = written.flatMap((item) => readInstance(item, abis, soundness, report) ?? []);
  return {
    at: config.at,
    ...(name?.kind === "string" && splitName(name)),
    abis,
    ...(mapping && { mapping }),
    instances,
    complete: instances.length === written.length,
    enableCallHandlers: booleanOf(config, "enableCallHandlers") || isMeantToEnableCalls(config),
    ...(chains && { chains: { value: stringsOf(chains).map(({ value }) => value), at: chains.at } }),
  };
}

/** Whether the setting exists but is invalid, so that function handlers need no error of their own. */
function isMeantToEnableCalls(config: TreeNode): boolean {
  const setting = "enableCallHandlers";
  return membersOf(config).some(({ key, value }) =>
    key.value === setting ? value.kind !== "boolean" : nearName(key.value, [setting]) !== undefined,
  );
}

function splitName(node: StringNode): { name: Located<string>; version?: string } {
  const [name = "", version] = node.value.split("/");
  return {
    name: { value: name, at: node.part(0, name.length) },
    ...(version !== undefined && { version }),
  };
}

/** @returns `undefined` if not even the ABI is known */
function readInstance(
  node: TreeNode,
  abis: readonly AbiDeclaration[],
  soundness: Soundness,
  report: Report,
): Instance | undefined {
  const abi = soundness.child(node, "abi");
  if (abi?.kind !== "string") return undefined;
  const enrich = childOf(node, "enrich");
  const common = {
    at: node.at,
    abi,
    ...(enrich && { enrich: readEnrich(enrich, abiNamed(abi.value, abis), soundness, report) }),
  };
  const source = soundness.child(node, "source");
  const address = soundness.child(node, "address");
  const startBlock = soundness.child(node, "startBlock");
  const chain = soundness.child(node, "chain");
  if (source && !childOf(node, "address")) return { kind: "template", ...common, source: readSource(source) };
  const isWhole = address?.kind === "string" && startBlock?.kind === "number" && chain?.kind === "string";
  if (!isWhole || childOf(node, "source")) return { kind: "broken", ...common };
  return { kind: "data-source", ...common, address, startBlock, chain };
}

function abiNamed(name: string, abis: readonly AbiDeclaration[]): Abi | undefined {
  return abis.find((declared) => declared.name.value === name)?.abi;
}

function readSource(node: TreeNode): TemplateSource {
  return {
    at: node.at,
    abi: stringOf(node, "abi"),
    eventSignature: stringOf(node, "eventSignature"),
    addressParam: stringOf(node, "addressParam"),
  };
}
