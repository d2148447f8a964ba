import { manifestSignature, plainSignature } from "../abi/abi.js";
import type { Handler } from "../model/handler.js";
import type { ChainModel, SourceModel, SubgraphModel } from "../model/subgraph.js";
import { describeStores } from "./describe-stores.js";
import type { DescribedSource, DescribedTrigger } from "./described.js";

/** Describes the triggers of a model and what it stores, with places in the configuration and its ABIs. */
export function describeModel({ chains }: SubgraphModel): readonly DescribedSource[] {
  return chains.flatMap(describeChain);
}

function describeChain({ chain, dataSources, templates }: ChainModel): readonly DescribedSource[] {
  return [
    ...dataSources.map((source): DescribedSource => {
      const { address, startBlock, places } = source;
      return { kind: "contract", chain, address, startBlock, places, ...common(source) };
    }),
    ...templates.map((source): DescribedSource => ({ kind: "template", chain, ...common(source) })),
  ];
}

function common({ name, abi, handlers, at }: SourceModel) {
  return { name, abi: abi.className, triggers: handlers.map(describeTrigger), at };
}

function describeTrigger(handler: Handler): DescribedTrigger {
  const { trigger, creates } = handler;
  const entry = trigger.kind === "event" ? originalOf(trigger.bound.event) : trigger.bound.fn;
  return {
    kind: trigger.kind,
    signature: entry.kind === "event" ? manifestSignature(entry) : plainSignature(entry),
    stores: describeStores(handler),
    creates: creates.map(({ template, parameter }) => ({
      template,
      parameter,
      position:
        trigger.kind === "event" ? trigger.bound.params.findIndex(({ name }) => name === parameter) : -1,
    })),
    at: entry.locate(),
  };
}

/** An event whose name would break the bindings has a stand-in name there. */
function originalOf<Event extends { readonly standsFor?: { readonly event: Event } }>(event: Event): Event {
  return event.standsFor?.event ?? event;
}
