import { quote } from "../../base/quote.js";
import type { Report } from "../diagnostics/report.js";
import type { EntityModel } from "../model/entity-model.js";
import type { Handler } from "../model/handler.js";
import type { OwnMappingModel } from "../model/subgraph.js";
import type { OwnMapping } from "../validate/config.js";
import type { UsedAbi } from "./bind-abis.js";

/**
 * Names the file of the mapping of the user's own. It is in one folder with generated files.
 * @param types the entity types that it declares
 */
export function modelOfMapping(
  { file, path }: OwnMapping,
  types: readonly EntityModel[],
  abis: readonly UsedAbi[],
  report: Report,
): OwnMappingModel {
  const fileStem = path.value.slice(path.value.lastIndexOf("/") + 1, -".ts".length);
  const generated = ["mapping", "instances", ...abis.map(({ names }) => names.fileStem)];
  // Some file systems ignore case.
  if (generated.includes(fileStem.toLowerCase())) {
    report.error("mapping-unreadable", path.at, `the mapping cannot be named ${quote(`${fileStem}.ts`)}`, {
      label: "graphloom generates a file of this name beside it",
      hint: "rename the file",
    });
  }
  return { fileStem, file, types: types.map(({ name }) => name) };
}

/** Handlers that call no function of the user's own. */
export function withoutOwn<Variant>(handlers: ReadonlyMap<Variant, Handler>): ReadonlyMap<Variant, Handler> {
  return new Map([...handlers].map(([variant, { own, ...handler }]) => [variant, handler]));
}
