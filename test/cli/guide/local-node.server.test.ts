import { describe, expect, it } from "vitest";
import type { World } from "../../../src/base/world.js";
import { Answers } from "../../../src/cli/guide/answers.js";
import { chooseChain } from "../../../src/cli/guide/ask-node.js";
import type { Prompts } from "../../../src/cli/terminal/prompts/prompts.js";
import { realWorld } from "../../support/worlds.js";
import { memoryTerminal } from "../memory-terminal.js";

const args = { force: false, yes: false, format: "text", color: false, cache: true, verbose: false } as const;

/** A world in which a node of this chain answers at the usual address. Without a chain, nothing answers. */
function worldWith(chainId: string | undefined, asked: string[]): World {
  return {
    ...realWorld,
    fetch: async (url, { body }) => {
      asked.push(new URL(url).host);
      if (chainId === undefined) throw new TypeError("fetch failed");
      const { id } = JSON.parse(String(body));
      return Response.json({ jsonrpc: "2.0", id, result: chainId });
    },
  };
}

/** Chooses a node for a network as a user who accepts or declines it. @returns the choice and the questions */
async function chosen(network: string, chainId: string | undefined, says = true) {
  const questions: string[] = [];
  const hosts: string[] = [];
  const prompts: Prompts = {
    choose: async () => "",
    chooseSome: async () => [],
    enter: async (question) => {
      questions.push(question);
      return "";
    },
    confirm: async (question) => {
      questions.push(question);
      return says;
    },
  };
  const terminal = { ...memoryTerminal(), prompts };
  const answers = new Answers(terminal, false);
  const { node } = await chooseChain(args, network, worldWith(chainId, hosts), answers, terminal);
  return { url: node?.url, questions, hosts: [...new Set(hosts)] };
}

describe("the node of a local chain", () => {
  const offer = "Found a node at http://127.0.0.1:8545. Use it?";

  it("is the one at the usual local address, if the user agrees", async () => {
    expect(await chosen("localhost", "0x7a69")).toEqual({
      url: "http://127.0.0.1:8545",
      questions: [offer],
      hosts: ["127.0.0.1:8545"],
    });
    const refused = await chosen("localhost", "0x7a69", false);
    expect([refused.url, refused.questions]).toEqual([
      undefined,
      [offer, expect.stringContaining("JSON-RPC address of a localhost node")],
    ]);
  });

  it.each([
    ["localhost", undefined, ["127.0.0.1:8545"]],
    // This is a fork or a node of a real chain.
    ["localhost", "0x1", ["127.0.0.1:8545"]],
    ["mainnet", "0x1", []],
  ])("is asked for when no suitable local node answers: %s %s", async (network, chainId, hosts) => {
    expect(await chosen(network, chainId)).toEqual({
      url: undefined,
      questions: [expect.stringContaining(`JSON-RPC address of a ${network} node`)],
      hosts,
    });
  });
});
