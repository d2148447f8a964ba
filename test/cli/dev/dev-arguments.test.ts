import { expect, it } from "vitest";
import { graphloom, workplace } from "../harness.js";

it.each([
  [
    "",
    "Name a configuration: graphloom dev subgraph.json. There is no subgraph.json in this folder. Or try the example: graphloom dev --demo",
  ],
  ["-", "dev requires a file: standard input does not change."],
  ["--demo --data x", "--demo and --data cannot be combined"],
  ["c.json --data=", "--data must be the path of a folder."],
  ["c.json --port 70000", "--port must be a whole number from 0 to 65535."],
  ["c.json --ipfs ftp://x", "--ipfs must start with http:// or https://"],
])("rejects dev %s, and says what to type instead", async (line, message) => {
  const { code, err } = await graphloom(workplace({ "c.json": "{}" }), `dev ${line}`);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});
