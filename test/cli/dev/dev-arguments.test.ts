import { expect, it } from "vitest";
import { graphloom, workplace } from "../harness.js";

it.each([
  [
    "",
    "Name a configuration: graphloom dev subgraph.json. There is no subgraph.json in this folder. Or try it: graphloom dev --demo",
  ],
  ["-", "dev needs a file: standard input does not change."],
  ["--demo --data x", "--demo and --data exclude each other"],
  ["c.json --data=", "--data names no folder."],
  ["c.json --port 70000", "--port has to be a whole number from 0 to 65535."],
  ["c.json --ipfs ftp://x", "--ipfs does not start with http:// or https://"],
])("dev %s says what to type instead", async (line, message) => {
  const { code, err } = await graphloom(workplace({ "c.json": "{}" }), `dev ${line}`);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});
