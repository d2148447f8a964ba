import { quote } from "../../../base/text/quote.js";
import { correctName } from "../../diagnostics/correct-name.js";
import type { Details } from "../../diagnostics/diagnostic.js";
import type { Report } from "../../diagnostics/report.js";
import { member, type TreeNode, type TreePath } from "../../source/tree.js";
import { filterKinds, type Member, type Shape } from "./manifest-shape.js";
import type { ProjectManifest } from "./project-manifest.js";

/**
 * Reports every value of a manifest that has the wrong type, is missing, or is unknown.
 * @param ignoresUnknown whether to accept unknown keys
 */
export function checkShape(
  manifest: ProjectManifest,
  shape: Shape,
  { ignoresUnknown }: { readonly ignoresUnknown: boolean },
  report: Report,
): void {
  const fault = (path: TreePath, message: string, details: Details = {}): void =>
    report.error("manifest-value", manifest.locate(path), message, details);

  function check(node: TreeNode, shape: Shape, path: TreePath): void {
    switch (shape.kind) {
      case "any":
        return;
      case "string":
      case "file":
        if (node.kind !== "string") fault(path, `${pathText(path)} must be a text`, textHint(node));
        return;
      case "number":
        if (node.kind !== "number")
          fault(path, `${pathText(path)} must be a number`, {
            ...(node.kind === "string" && /^\d+$/.test(node.value) && { hint: "remove the quotes" }),
          });
        return;
      case "boolean":
        if (node.kind !== "boolean") fault(path, `${pathText(path)} must be true or false`);
        return;
      case "prune":
        if (node.kind !== "string" && node.kind !== "number")
          fault(path, `${pathText(path)} must be a number of blocks, "auto" or "never"`);
        return;
      case "filter":
        checkFilter(node, path);
        return;
      case "list":
        if (node.kind !== "array") {
          fault(path, `${pathText(path)} must be a list`);
          return;
        }
        for (const [at, item] of node.items.entries()) {
          if (item.kind !== "null" || shape.of.kind === "map") check(item, shape.of, [...path, at]);
        }
        return;
      case "map":
        if (node.kind !== "object") {
          fault(path, `${pathText(path)} must have keys and values`);
          return;
        }
        checkMembers(node, shape.keys, path);
        return;
    }
  }

  function checkMembers(
    node: Extract<TreeNode, { kind: "object" }>,
    keys: Readonly<Record<string, Member>>,
    path: TreePath,
  ): void {
    for (const [key, { shape, required }] of Object.entries(keys)) {
      const value = member(node, key)?.value;
      if (value && value.kind !== "null") check(value, shape, [...path, key]);
      else if (required) fault(path, `${pathText(path)} has no "${key}"`, missingHint(key));
    }
    if (ignoresUnknown) return;
    for (const { key } of node.members) {
      if (Object.hasOwn(keys, key.value)) continue;
      const absent = Object.keys(keys).filter((known) => !member(node, known));
      report.error(
        "manifest-value",
        manifest.locate([...path, key.value]),
        `${pathText(path)} has no key ${quote(key.value)}`,
        {
          ...(key.value === "templates"
            ? { hint: "move the templates to the top level of the manifest" }
            : (correctName(key, absent) ?? {})),
        },
      );
    }
  }

  function checkFilter(node: TreeNode, path: TreePath): void {
    const kind = member(node, "kind")?.value;
    if (kind?.kind !== "string" || !filterKinds.includes(kind.value)) {
      fault(path, `the kind of a filter must be ${filterKinds.map((one) => `"${one}"`).join(", ")}`);
      return;
    }
    const every = member(node, "every")?.value;
    if (every && every.kind !== "number") fault([...path, "every"], `"every" must be a number`);
  }

  if (manifest.tree.kind !== "object") fault([], "the manifest must have keys and values");
  else check(manifest.tree, shape, []);
}

/** A path as text: `dataSources[0].source.address`. */
export function pathText(path: TreePath): string {
  if (path.length === 0) return "the manifest";
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}

function textHint(node: TreeNode): Details {
  const isPlain = node.kind === "number" || node.kind === "boolean";
  return isPlain ? { label: `YAML reads this as a ${node.kind}`, hint: "put it in quotes" } : {};
}

function missingHint(key: string): Details {
  if (key === "abis") return { hint: 'write "abis: []" if there are none' };
  if (key === "entities") return { hint: 'write "entities: []", whose contents do not matter' };
  return {};
}
