import { present } from "../../../base/invariant.js";
import { goneOf } from "../../http/gone-of.js";
import { callerOf } from "../../http/roles.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import type { Handlers } from "../operations.js";
import { textOf } from "./definition-text.js";

/** Seconds that a preview runs. */
const usualTtl = 180;
const longestTtl = 600;

/** The operation that runs a definition for a time, with sinks that drop all rows. */
export function previewOperation({ previews }: Pipelines): Pick<Handlers, "previewPipeline"> {
  return {
    previewPipeline: async ({ body, request }) => {
      const { definition, ttl_seconds = usualTtl } = present(body, "a preview has a body");
      const ttl = Math.min(ttl_seconds, longestTtl);
      const isWithout = Object.keys(definition.sinks).length === 0;
      const nodes = [definition.sources, definition.transforms].flatMap((part) => Object.keys(part));
      const { name, expiresAt } = await previews.begin(
        callerOf(request).project,
        (own, isLast) => {
          const sinks = isWithout ? sinksAt(nodes.filter(isLast)) : definition.sinks;
          return textOf(own, { definition: { ...definition, sinks } });
        },
        ttl,
        goneOf(request),
      );
      return {
        pipeline_name: name.name,
        ttl_seconds: ttl,
        expires_at: new Date(expiresAt).toISOString(),
      };
    },
  };
}

/** A sink that drops the rows of each node. */
function sinksAt(nodes: readonly string[]): Readonly<Record<string, object>> {
  return Object.fromEntries(nodes.map((from) => [`dropped_${from}`, { type: "blackhole", from }]));
}
