import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { graphloom, shortened } from "../../runner/product.js";
import { type Place, type Task, Unsolved } from "../../runner/task.js";

/** Changes of the configuration that the tests have to notice: what they replace, and with what. */
const changes = [
  [
    "the sender's address",
    '"id": "event.params.to.toHexString()"',
    '"id": "event.params.from.toHexString()"',
  ],
  [
    "the amount as the balance",
    '"balance uint256": "calls.balance"',
    '"balance uint256": "event.params.value"',
  ],
  [
    "a holder although the read has reverted",
    '"balance uint256": "calls.balance"',
    '"balance uint256": "calls.balance === null ? BigInt.zero() : calls.balance!"',
  ],
] as const;

export const writeTest: Task = {
  id: "write-test",
  abis: ["Token"],
  async check(place) {
    const given = readFileSync(join(place.root, "test/agents/tasks/write-test/start/subgraph.json"), "utf8");
    await mustPass(place, given);
    for (const [index, [name, old, changed]] of changes.entries()) {
      const text = given.replace(old, changed);
      // Without `required`, a read that has reverted is null.
      const config = index === 2 ? text.replace('"required": true', '"required": false') : text;
      const { code } = await tested(place, config, String(index));
      if (code !== 1) return `the tests do not notice ${name}`;
    }
    return undefined;
  },
};

async function mustPass(place: Place, config: string): Promise<void> {
  const { code, out, err } = await tested(place, config, "given");
  if (code !== 0) throw new Unsolved(`graphloom test ended with ${code}: ${shortened(err + out)}`);
  if (!/\b[1-9]\d* (?:tests? )?passed\b/.test(out)) throw new Unsolved("no test has run");
}

/** Runs the agent's tests with a configuration. */
async function tested(place: Place, config: string, name: string) {
  const folder = join(place.hidden, `tested-${name}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(place.work, folder, { recursive: true });
  writeFileSync(join(folder, "subgraph.json"), config);
  return graphloom(place, ["test", "subgraph.json"], folder);
}
