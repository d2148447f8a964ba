import fc from "fast-check";
import { fromEntries, type Json, pick } from "./arbitraries.js";
import { hostileStrings, values } from "./texts.js";

/** One change to the node that `where` chooses, counting all nodes in order. */
export interface Mutation {
  readonly where: number;
  readonly kind: "remove" | "replace" | "rename" | "add" | "repeat";
  readonly key: string;
  readonly value: Json;
}

/** Any change. */
export const mutation: fc.Arbitrary<Mutation> = fc.record({
  where: fc.nat(400),
  kind: pick(["remove", "replace", "rename", "add", "repeat"] as const),
  key: pick([...hostileStrings, "enrichments", "handlers", "address", "source"]),
  value: fc.oneof(
    pick<Json>([null, true, 0, -1, 1e300, 1.5, [], {}, [[]], [null], { "": 1 }]),
    pick<Json>(hostileStrings),
    pick<Json>(values),
  ),
});

type Path = readonly (string | number)[];

function pathsOf(value: Json, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [at];
  const inner = Object.entries(value).flatMap(([key, item]) =>
    pathsOf(item as Json, [...at, Array.isArray(value) ? Number(key) : key]),
  );
  return [at, ...inner];
}

/** The changed value. */
export function mutate(root: Json, { where, kind, key, value }: Mutation): Json {
  const paths = pathsOf(root);
  const path = paths[where % paths.length] ?? [];
  const change = (node: Json, rest: Path): Json => {
    const [step, ...more] = rest;
    if (step === undefined || typeof node !== "object" || node === null) {
      if (kind !== "add" || typeof node !== "object" || node === null) return value;
      return Array.isArray(node) ? [...node, value] : fromEntries([...Object.entries(node), [key, value]]);
    }
    if (Array.isArray(node))
      return node.flatMap((item: Json, index): Json[] => {
        if (index !== step) return [item];
        if (more.length > 0) return [change(item, more)];
        if (kind === "remove") return [];
        return kind === "repeat" ? [item, item] : [change(item, more)];
      });
    return fromEntries(
      Object.entries(node).flatMap(([name, item]): [string, Json][] => {
        if (name !== step) return [[name, item]];
        if (more.length === 0 && kind === "remove") return [];
        if (more.length === 0 && kind === "rename") return [[key, item]];
        return [[name, change(item, more)]];
      }),
    );
  };
  return change(root, path);
}
