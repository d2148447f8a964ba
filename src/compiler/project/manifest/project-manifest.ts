import type { Located, Location, Source } from "../../source/source.js";
import { member, nodeAt, type TreeNode, type TreePath } from "../../source/tree.js";

export interface ProjectManifest {
  /** Path for the host. */
  readonly path: string;
  /** The file's text, which diagnostics show. */
  readonly source: Source;
  /** The values, after migrations and with the addresses of the requested network. */
  readonly tree: TreeNode;
  /** The text after these changes; absent if there are none. */
  readonly changed?: string;
  /** Whether it has file data sources, of which graph-cli checks little. */
  readonly hasFileSources: boolean;
  /** Locates a value in the file, or the innermost enclosing value that the file has. */
  locate(path: TreePath): Location;
}

/** A data source or template. Has the manifest's values, if their types are right. */
export interface ProjectSource {
  readonly name: string;
  readonly kind: string;
  readonly isTemplate: boolean;
  readonly path: TreePath;
  readonly network: string | undefined;
  /** The ABI of the contract. */
  readonly abi: string | undefined;
  readonly address: Located<unknown> | undefined;
  readonly mapping: string;
  readonly abis: readonly ProjectAbi[];
  readonly handlers: readonly ProjectHandler[];
}

export interface ProjectAbi {
  readonly name: string;
  readonly file: string;
  readonly path: TreePath;
}

export interface ProjectHandler {
  readonly list: "eventHandlers" | "callHandlers" | "blockHandlers" | "handlers";
  readonly handler: string;
  /** The signature of the event or function; absent for blocks and entities. */
  readonly signature: string | undefined;
  readonly path: TreePath;
}

const handlerLists = [
  ["eventHandlers", "event"],
  ["callHandlers", "function"],
  ["blockHandlers", undefined],
  ["handlers", undefined],
] as const;

/** The data sources of a manifest, then its templates. Leaves out entries without a name or a mapping. */
export function sourcesOf(manifest: ProjectManifest): readonly ProjectSource[] {
  return (["dataSources", "templates"] as const).flatMap((key) => {
    const list = member(manifest.tree, key)?.value;
    if (list?.kind !== "array") return [];
    return list.items.flatMap((item, at) => sourceOf(item, [key, at]) ?? []);
  });
}

function sourceOf(node: TreeNode, path: TreePath): ProjectSource | undefined {
  const [name, kind] = [textAt(node, ["name"]), textAt(node, ["kind"])];
  const mapping = textAt(node, ["mapping", "file"]);
  if (name === undefined || kind === undefined || mapping === undefined) return undefined;
  const source = nodeOf(node, ["source"]);
  const address = source && member(source, "address")?.value;
  return {
    name,
    kind,
    mapping,
    path,
    isTemplate: path[0] === "templates",
    network: textAt(node, ["network"]),
    abi: textAt(node, ["source", "abi"]),
    address: address && { value: "value" in address ? address.value : null, at: address.at },
    abis: itemsAt(node, ["mapping", "abis"]).flatMap((item, at) => {
      const [abi, file] = [textAt(item, ["name"]), textAt(item, ["file"])];
      if (abi === undefined || file === undefined) return [];
      return [{ name: abi, file, path: [...path, "mapping", "abis", at] }];
    }),
    handlers: handlerLists.flatMap(([list, signature]) =>
      itemsAt(node, ["mapping", list]).flatMap((item, at) => {
        const handler = textAt(item, ["handler"]);
        if (handler === undefined) return [];
        const text = signature && textAt(item, [signature]);
        return [{ list, handler, signature: text, path: [...path, "mapping", list, at] }];
      }),
    ),
  };
}

/** The value at a path; `undefined` if it does not exist. */
export function nodeOf(node: TreeNode, path: TreePath): TreeNode | undefined {
  let at: TreeNode | undefined = node;
  for (const step of path) {
    if (at === undefined) return undefined;
    at = at.kind === "array" ? at.items[Number(step)] : member(at, String(step))?.value;
  }
  return at;
}

/** The text at a path; `undefined` if it does not exist. */
export function textAt(node: TreeNode, path: TreePath): string | undefined {
  const found = nodeOf(node, path);
  return found?.kind === "string" ? found.value : undefined;
}

function itemsAt(node: TreeNode, path: TreePath): readonly TreeNode[] {
  const found = nodeOf(node, path);
  return found?.kind === "array" ? found.items : [];
}

/** Locates values of a changed manifest in the original file. */
export function locator(tree: TreeNode): (path: TreePath) => Location {
  return (path) => nodeAt(tree, path).at;
}
