import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configWords } from "../../../src/cli/serve/config-words.js";
import { serveCommand } from "../../../src/cli/serve/serve-command.js";
import { testFolder } from "../../support/folder.js";
import { graphloom, workplace } from "../harness.js";

/** The words of a file, or the message that refuses it. */
function wordsOf(text: string, ...given: string[]): readonly string[] | string {
  const path = join(testFolder(), "serve.yaml");
  writeFileSync(path, text);
  try {
    return configWords("serve.yaml", path, serveCommand.shape.options, given);
  } catch (error) {
    return (error as Error).message;
  }
}

describe("a file of serve --config", () => {
  it("stands for the options that it names", () => {
    const text = `
# The server of our team.
data: platform
port: 8031
memory: 4g
proofs: false
datasets: true
rpc:
  mainnet: https://one.example/a=b
  base: [https://two.example, https://three.example]
reachable: [10.1.2.3:5432, 10.2.0.0/16]
trust-proxy: 127.0.0.1
quota: { pipelines: 100, hosted-sinks: 10 }
`;
    expect(wordsOf(text)).toEqual([
      "--data=platform",
      "--port=8031",
      "--memory=4g",
      "--no-proofs",
      "--datasets",
      "--rpc=mainnet=https://one.example/a=b",
      "--rpc=base=https://two.example",
      "--rpc=base=https://three.example",
      "--reachable=10.1.2.3:5432",
      "--reachable=10.2.0.0/16",
      "--trust-proxy=127.0.0.1",
      "--quota=pipelines=100",
      "--quota=hosted-sinks=10",
    ]);
    expect(wordsOf("# nothing\n")).toEqual([]);
  });

  it("has the form that the manual shows", () => {
    const manual = readFileSync(new URL("../../../docs/production.md", import.meta.url), "utf8");
    const [, block = ""] = /^```yaml\n(data: .*?)^```$/ms.exec(manual) ?? [];
    expect(wordsOf(block)).toEqual([
      "--data=/var/lib/graphloom",
      "--public-address=https://graph.example.com",
      "--trust-proxy=127.0.0.1",
      "--rpc=mainnet=https://a.example.com",
      "--rpc=mainnet=https://b.example.com",
      "--quota=pipelines=100",
    ]);
  });

  it.each([
    [["--port", "1"]],
    [["--port=1"]],
    [["--no-proofs"]],
    [["--publicAddress=https://a.example"]],
  ])("gives way to the command line: %j", (given) => {
    const file = "port: 2\nproofs: true\npublic-address: https://b.example\n";
    const words = wordsOf(file, ...given);
    expect(words).toHaveLength(2);
    const [name = ""] = (given[0] ?? "").replace("publicAddress", "public-address").split("=");
    expect(words).not.toContainEqual(expect.stringContaining(name.replace("no-", "")));
  });

  it.each([
    ["prot: 8030", "serve.yaml:1:1: serve has no option prot: did you mean port?"],
    ["port: 1\nconfig: other.yaml", /^serve.yaml:2:1: serve has no option config/],
    ["__proto__: 1", /^serve.yaml:1:1: serve has no option __proto__/],
    ["port: secret", "serve.yaml:1:7: port has to be a number"],
    ["port:", "serve.yaml:1:6: port has no value. Leave it out to use its default"],
    ["data: [a, b]", "serve.yaml:1:7: data has to be one value"],
    ["data: true", "serve.yaml:1:7: data has to be text"],
    ["datasets: 1", "serve.yaml:1:11: datasets has to be true or false"],
    ["metrics: secret", "serve.yaml:1:10: metrics has to be one of open, key, off"],
    ["rpc:\n  base:", "serve.yaml:2:8: rpc has to be text"],
    ["rpc: [[secret]]", "serve.yaml:1:7: rpc has to be a list of texts"],
    ["data: &a platform\narchive: *a", "serve.yaml:2:10: archive has to be one value"],
    ["port: 1\nport: 2", /^serve.yaml:2:1: the file cannot be read: Map keys must be unique$/],
    ["data: 'open", /^serve.yaml:1:\d+: the file cannot be read: /],
    ["- port: 1", "serve.yaml:1:1: the file has to be a list of options, such as port: 8030"],
    ["? [a]\n: 1", "serve.yaml:1:3: a key has to be the name of an option"],
  ])("is refused with its line: %j", (text, message) => {
    const said = wordsOf(text);
    if (typeof message === "string") expect(said).toBe(message);
    else expect(said).toMatch(message);
    expect(said).not.toContain("secret");
  });

  it("is read below the folder of the command, and its mistakes end the command", async () => {
    const cwd = workplace();
    writeFileSync(join(cwd, "serve.yaml"), "quota: { pipeline: 3 }\ndata: platform\n");
    const unknown = await graphloom(cwd, "serve --config serve.yaml");
    expect(unknown).toMatchObject({ code: 2, out: "" });
    expect(unknown.err).toContain("--quota has no limit pipeline. It has deployments, ");
    const missing = await graphloom(cwd, "serve --config=none.yaml");
    expect(missing).toMatchObject({ code: 2, out: "" });
    expect(missing.err).toContain("--config none.yaml: the file does not exist.");
    expect((await graphloom(cwd, "serve --config")).err).toContain("--config needs a value.");
  });
});
