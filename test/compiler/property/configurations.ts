import fc from "fast-check";
import { stringify } from "yaml";
import { type Json, pick, record } from "./arbitraries.js";
import { known } from "./known-abis.js";
import { looseInstances } from "./loose.js";
import { mutate, mutation } from "./mutations.js";
import { soundInstances } from "./sound.js";

const some = {
  dataSources: { minLength: 1, maxLength: 3 },
  templates: { minLength: 0, maxLength: 2 },
  chains: ["mainnet", "matic", "base"],
  enriched: false,
  trapped: false,
};

/** A configuration of these instances, with the ABIs they name. */
function configuration(instances: fc.Arbitrary<readonly Json[]>): fc.Arbitrary<Json> {
  return instances.chain((list) => {
    const text = JSON.stringify(list);
    const named = known.filter(({ name }) => text.includes(JSON.stringify(name)));
    const abis = Object.fromEntries(named.map(({ name }) => [name, { path: `abis/${name}.json` }]));
    // A call handler is an error in a configuration that does not index calls.
    const needsCalls = text.includes("call.inputs") || text.includes("call.to");
    return record(
      {
        version: fc.constant("1"),
        name: pick(["a", "a/1.0.0"]),
        abis: fc.constant<Json>(abis),
        instances: fc.constant<Json>(list),
        enableCallHandlers: needsCalls ? fc.constant(true) : fc.boolean(),
      },
      ["version", "abis", "instances", "enableCallHandlers"],
    );
  });
}

const weighted = (...choices: readonly (readonly [number, fc.Arbitrary<Json>])[]): fc.Arbitrary<Json> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Configurations without a deliberate mistake. */
const soundConfiguration = configuration(soundInstances(some));

const unchanged: fc.Arbitrary<Json> = weighted(
  [7, soundConfiguration],
  [2, configuration(soundInstances({ ...some, trapped: true }))],
  [1, configuration(looseInstances(300))],
  [1, configuration(looseInstances(12))],
);

/** Configurations good and bad: about half of them compile. */
export const anyConfiguration: fc.Arbitrary<Json> = weighted(
  [7, unchanged],
  [
    3,
    fc
      .tuple(unchanged, fc.array(mutation, { minLength: 1, maxLength: 3 }))
      .map(([json, mutations]) => mutations.reduce(mutate, json)),
  ],
);

/** Configurations that should pass, with several ABIs, enrichments and templates each. */
export const richConfiguration: fc.Arbitrary<Json> = pick([
  ["mainnet"],
  ["mainnet"],
  ["base", "mainnet"],
]).chain((chains) =>
  configuration(
    soundInstances({
      dataSources: { minLength: 2, maxLength: 3 },
      templates: { minLength: 1, maxLength: 2 },
      chains,
      enriched: true,
      trapped: false,
    }),
  ),
);

const slip = fc.tuple(
  fc.nat(4000),
  fc.nat(5),
  pick(['"', "{", "}", "\n", "\t", ",", ":", "#", "\\", "&a ", "*a", "!!x "]),
);

/** File contents: valid JSON and YAML, and the same with a few characters changed. */
export const anyText: fc.Arbitrary<{ readonly path: string; readonly text: string }> = fc
  .tuple(
    anyConfiguration,
    pick(["c.json", "c.json5", "c.yaml", "block.yaml"]),
    fc.array(slip, { maxLength: 3 }),
  )
  .map(([json, path, slips]) => {
    let text = path === "block.yaml" ? stringify(json) : JSON.stringify(json, null, 1);
    for (const [at, length, put] of slips) {
      const start = at % (text.length + 1);
      text = text.slice(0, start) + put + text.slice(start + length);
    }
    return { path, text };
  });
