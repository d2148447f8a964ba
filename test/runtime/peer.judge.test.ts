import { expect, it } from "vitest";
import { useAnvil } from "../support/chain/anvil.js";
import { testFolder } from "../support/folder.js";
import { judge } from "../support/judge/judge.js";
import { runOn } from "./harness.js";
import { buildTokens, deployFactory, everything, moving, tokenOf } from "./token-subgraph.js";

const anvil = useAnvil();

it("the WASM of graph build yields the same entities as ours", async () => {
  const factory = await deployFactory(anvil());
  await anvil().send(factory, "make", [2]);
  const token = await tokenOf(anvil(), factory, 1);
  for (let block = 0; block < 5; block++) await anvil().transact(moving(anvil(), token, block % 3, block));
  await anvil().send(factory, "makeAndMove", [anvil().account(2)]);
  const ours = await buildTokens(factory.address);
  const sources = [...ours.files].filter(([path]) => !/^(?:build|generated)\//.test(path));
  const { ok, output, build } = await judge(testFolder(new Map(sources)));
  expect(ok, output).toBe(true);
  const isText = (path: string): boolean => !path.endsWith(".wasm");
  const theirs = {
    files: new Map(
      [...build].map(([path, content]) => [path, isText(path) ? Buffer.from(content).toString() : content]),
    ),
  };
  const wasmOf = ({ files }: { readonly files: ReadonlyMap<string, string | Uint8Array> }) =>
    [...files].filter(([path]) => path.endsWith(".wasm")).map(([, content]) => content.length);
  expect(wasmOf(theirs)).not.toEqual(wasmOf(ours));
  const found = await everything(await runOn(anvil(), ours));
  expect(found.Moved?.length).toBe(7);
  expect(await everything(await runOn(anvil(), theirs))).toEqual(found);
});
