import { expect, test } from "vitest";
import { recordedCases } from "./recorded.js";
import { Stage } from "./stage.js";

const ens = recordedCases.filter(({ name }) => name === "c6-ens");
/** The hash that the mapping looks up. */
const asked = "0x4f5b812789fc606be1b3b16908db13fc7a9adf7ca72641f84d75b47069d3d7f0";

test.each([
  [{ [asked]: "eth" }, "eth"],
  [{ [`0x${"12".repeat(32)}`]: "other" }, "null"],
])("with the names %j, a mapping's ENS lookup returns %s", async (names, note) => {
  const stage = await Stage.open();
  try {
    await stage.importNames(names);
    for (const one of ens) await stage.deploy(one);
    await stage.start();
    await stage.moveTo("15");
    for (const one of ens) {
      const { status, answers } = await stage.sample(one, "15");
      expect(status).toMatchObject({ health: "healthy", latestBlock: "15" });
      expect(JSON.stringify(answers[0])).toContain(`{"id":"after","n":"1","note":"${note}"}`);
    }
  } finally {
    await stage.close();
  }
  expect(ens).toHaveLength(1);
});
