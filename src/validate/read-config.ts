import type { Report } from "../diagnostics/report.js";
import type { Located } from "../source/source.js";
import type { StringNode, TreeNode } from "../source/tree.js";
import type { AbiDeclaration, Instance, TemplateSource, ValidProject } from "./config.js";
import { readEnrich } from "./read-enrich.js";
import { booleanOf, childOf, itemsOf, numberOf, stringOf, stringsOf } from "./tree-access.js";

/**
 * Takes a configuration apart. What does not satisfy the schema is left out, so that the rest can be judged in the
 * same run.
 * @param isSound whether the value at a pointer satisfies the schema, with everything in it
 */
export function readConfig(
  config: TreeNode,
  abis: readonly AbiDeclaration[],
  isSound: (pointer: string) => boolean,
  report: Report,
): ValidProject {
  const sound = (key: string): TreeNode | undefined => {
    const value = childOf(config, key);
    return value && isSound(value.at.pointer) ? value : undefined;
  };
  const name = sound("name");
  const chains = sound("chains");
  return {
    at: config.at,
    ...(name?.kind === "string" && splitName(name)),
    abis,
    instances: itemsOf(childOf(config, "instances"))
      .filter((item) => isSound(item.at.pointer))
      .map((item) => readInstance(item, report)),
    enableCallHandlers: booleanOf(config, "enableCallHandlers"),
    ...(chains && { chains: { value: stringsOf(chains).map(({ value }) => value), at: chains.at } }),
  };
}

function splitName(node: StringNode): { name: Located<string>; version?: string } {
  const [name = "", version] = node.value.split("/");
  return {
    name: { value: name, at: node.part(0, name.length) },
    ...(version !== undefined && { version }),
  };
}

function readInstance(node: TreeNode, report: Report): Instance {
  const source = childOf(node, "source");
  const enrich = childOf(node, "enrich");
  const common = {
    at: node.at,
    abi: stringOf(node, "abi"),
    ...(enrich && { enrich: readEnrich(enrich, report) }),
  };
  if (source) return { kind: "template", ...common, source: readSource(source) };
  return {
    kind: "data-source",
    ...common,
    address: stringOf(node, "address"),
    startBlock: numberOf(node, "startBlock"),
    chain: stringOf(node, "chain"),
  };
}

function readSource(node: TreeNode): TemplateSource {
  return {
    at: node.at,
    abi: stringOf(node, "abi"),
    eventSignature: stringOf(node, "eventSignature"),
    addressParam: stringOf(node, "addressParam"),
  };
}
