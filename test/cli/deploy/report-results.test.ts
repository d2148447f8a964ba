import { expect, it } from "vitest";
import { resultsAsJson } from "../../../src/cli/deploy/deploy-builds.js";
import { type ResultFacts, reportDeployed } from "../../../src/cli/deploy/report-results.js";
import type { Terminal } from "../../../src/cli/terminal/terminal.js";
import type { DeployResult } from "../../../src/deploy/deploy-all.js";
import type { DeployTarget } from "../../../src/deploy/target.js";
import { sampleBuild } from "../../subgraph/sample-build.js";

const result: DeployResult = {
  state: "deployed",
  request: { name: "pools", version: "1.0.0", build: sampleBuild(), removeGraft: false },
  tags: [],
  deployment: {
    deploymentId: "QmX",
    queryUrl: undefined,
    pageUrl: "http://127.0.0.1:8030/dashboard/pools/1.0.0",
    warnings: ["the union U is left out", "handler is a\u001b[2Jb"],
  },
};
const facts: ResultFacts = { ends: new Map(), sharing: () => [] };

it("the report prints the page and each warning of a target on one line, with control characters escaped", () => {
  const said: string[] = [];
  const terminal = { out: (text: string) => void said.push(text) } as unknown as Terminal;
  reportDeployed([result], { label: "the API" } as DeployTarget, facts, terminal);
  expect(said.join("").split("\n").slice(2)).toEqual([
    "  dashboard   http://127.0.0.1:8030/dashboard/pools/1.0.0",
    "  warning     the union U is left out",
    "  warning     handler is a\\u001b[2Jb",
    "",
  ]);
});

it("the report includes the warnings of a target in the JSON document", () => {
  expect(resultsAsJson([result], facts)).toMatchObject([{ warnings: result.deployment.warnings }]);
});
