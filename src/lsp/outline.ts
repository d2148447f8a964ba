import type { Location } from "../compiler/source/source.js";
import { type Member, member, memberAt, type TreeNode } from "../compiler/source/tree.js";
import { textAt } from "./handler-at.js";

/** A part of a configuration or of a definition. */
export interface OutlinePart {
  readonly name: string;
  readonly kind:
    | "abi"
    | "instance"
    | "handler"
    | "call"
    | "entity"
    | "sources"
    | "transforms"
    | "lookups"
    | "sinks";
  readonly detail?: string | undefined;
  readonly at: Location;
  /** The name or the key, inside of the part. */
  readonly nameAt: Location;
  readonly parts: readonly OutlinePart[];
}

/** The ABIs and instances of a configuration, with handlers, calls and entities. */
export function outlineOf(tree: TreeNode): readonly OutlinePart[] {
  const instances = memberAt(tree, ["instances"]);
  return [
    ...membersOf(tree, "abis").map((abi) => outlinePart(abi, "abi")),
    ...(instances?.kind === "array" ? instances.items.map(instancePart) : []),
  ];
}

function instancePart(node: TreeNode): OutlinePart {
  const abi = textAt(node, "abi") ?? "instance";
  const enrich = member(node, "enrich")?.value;
  return {
    name: abi,
    kind: "instance",
    detail: [textAt(node, "chain"), textAt(node, "address") ?? "template"].filter(Boolean).join(" "),
    at: node.at,
    nameAt: member(node, "abi")?.value.at ?? node.at,
    parts: enrich ? membersOf(enrich, "handlers").map(handlerPart) : [],
  };
}

function handlerPart(handler: Member): OutlinePart {
  const { value } = handler;
  return outlinePart(handler, "handler", [
    ...membersOf(value, "calls").map((call) => outlinePart(call, "call")),
    ...membersOf(value, "entities").map((entity) => outlinePart(entity, "entity")),
  ]);
}

function membersOf(node: TreeNode, key: string): readonly Member[] {
  const value = member(node, key)?.value;
  return value?.kind === "object" ? value.members : [];
}

/** A member as a part, which is found by its key. */
export function outlinePart(
  { key, value }: Member,
  kind: OutlinePart["kind"],
  parts: readonly OutlinePart[] = [],
): OutlinePart {
  const at = {
    ...key.at,
    start: Math.min(key.at.start, value.at.start),
    end: Math.max(key.at.end, value.at.end),
  };
  return { name: key.value, kind, at, nameAt: key.at, parts };
}
