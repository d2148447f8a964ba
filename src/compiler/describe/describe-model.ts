import { createHash } from "node:crypto";
import { manifestSignature, plainSignature } from "../abi/abi.js";
import type { Handler } from "../model/handler.js";
import type { ChainModel, SourceModel, SubgraphModel } from "../model/subgraph.js";
import { describeStores } from "./describe-stores.js";
import type { DescribedSource, DescribedStore, DescribedTrigger } from "./described.js";

/** Describes a model's triggers and what they store, with locations in the configuration and its ABIs. */
export function describeModel({ chains, mapping }: SubgraphModel): readonly DescribedSource[] {
  const version = mapping && createHash("sha256").update(mapping.file.text).digest("hex").slice(0, 8);
  const own = mapping && { ...mapping, text: `in ${mapping.fileStem}.ts, version ${version}` };
  return chains.flatMap((chain) => describeChain(chain, own));
}

/** The user's own mapping, in words. */
interface DescribedMapping {
  readonly types: readonly string[];
  /** The location of a function. It changes whenever the file does. */
  readonly text: string;
}

function describeChain(
  { chain, dataSources, templates }: ChainModel,
  own: DescribedMapping | undefined,
): readonly DescribedSource[] {
  const common = ({ name, abi, handlers, at }: SourceModel) => ({
    name,
    abi: abi.className,
    at,
    triggers: handlers.map((handler) => describeTrigger(handler, own)),
  });
  return [
    ...dataSources.map((source): DescribedSource => {
      const { address, startBlock, places } = source;
      return { kind: "contract", chain, address, startBlock, places, ...common(source) };
    }),
    ...templates.map((source): DescribedSource => ({ kind: "template", chain, ...common(source) })),
  ];
}

function describeTrigger(handler: Handler, own: DescribedMapping | undefined): DescribedTrigger {
  const { trigger, creates } = handler;
  const entry = trigger.kind === "event" ? originalOf(trigger.bound.event) : trigger.bound.fn;
  return {
    kind: trigger.kind,
    signature: entry.kind === "event" ? manifestSignature(entry) : plainSignature(entry),
    stores: [...describeStores(handler), ...describeOwn(handler, own)],
    creates: creates.map(({ template, parameter }) => ({
      template,
      parameter,
      position:
        trigger.kind === "event" ? trigger.bound.params.findIndex(({ name }) => name === parameter) : -1,
    })),
    at: entry.locate(),
  };
}

/** A user's own function may store any of its types. */
function describeOwn({ own }: Handler, mapping: DescribedMapping | undefined): readonly DescribedStore[] {
  if (!own || !mapping) return [];
  const values = new Map([[`mapping.${own.value}`, { text: mapping.text, at: own.at }]]);
  return mapping.types.map((entity) => ({ entity, values }));
}

/** An event whose name would break the bindings has a stand-in name there. */
function originalOf<Event extends { readonly standsFor?: { readonly event: Event } }>(event: Event): Event {
  return event.standsFor?.event ?? event;
}
