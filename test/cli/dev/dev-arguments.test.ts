import { expect, it } from "vitest";
import { type DevArguments, planDeveloping } from "../../../src/cli/dev/dev-arguments.js";
import { graphloom, workplace } from "../harness.js";

it.each([
  [
    "",
    "Name a subgraph: graphloom dev <file or folder>. This folder has neither subgraph.json nor subgraph.yaml. Or try the example: graphloom dev --demo",
  ],
  ["-", "dev requires a file: standard input does not change."],
  ["--demo --data x", "--demo and --data cannot be combined"],
  ["--demo --archive x", "--demo and --archive cannot be combined"],
  ["--demo --source portal=https://a.example", "--demo and --source cannot be combined"],
  ["c.json --archive=", "--archive requires a folder."],
  ["c.json --data=", "--data must be the path of a folder."],
  ["c.json --port 70000", "--port must be a whole number from 0 to 65535."],
  ["c.json --ipfs ftp://x", "--ipfs must start with http:// or https://"],
  ["c.json --arweave x", "--arweave must start with http:// or https://"],
])("the parser rejects dev %s, and says what to type instead", async (line, message) => {
  const { code, err } = await graphloom(workplace({ "c.json": "{}" }), `dev ${line}`);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

it.each([
  ["the option", { archive: "kept" }, {}, "/home/me/kept"],
  ["the environment", {}, { GRAPHLOOM_ARCHIVE: "/srv/archive" }, "/srv/archive"],
  [
    "the option rather than the environment",
    { archive: "kept" },
    { GRAPHLOOM_ARCHIVE: "x" },
    "/home/me/kept",
  ],
  ["nothing for a recording", { demo: true, subgraph: undefined }, { GRAPHLOOM_ARCHIVE: "x" }, undefined],
  ["nothing by default", {}, {}, undefined],
] as const)("the archive's folder comes from %s", (_, changes, environment, folder) => {
  const args: DevArguments = {
    subgraph: "c.json",
    demo: false,
    verify: "bloom",
    proofs: true,
    color: false,
    cache: true,
    verbose: false,
    ...changes,
  };
  expect(planDeveloping(args, "/home/me", environment).archive).toBe(folder);
});
