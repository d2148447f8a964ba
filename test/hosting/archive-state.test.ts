import { expect, it } from "vitest";
import { keptChains } from "../../src/datasets/archive/kept-chains.js";
import { setAside } from "../../src/datasets/archive/segments/set-aside.js";
import { ArchiveState } from "../../src/hosting/embedded/archive-state.js";
import { madeBlocks, put } from "../support/archive/made-chain.js";
import { MemoryArchiveFiles } from "../support/archive/memory-files.js";

/** An archive of blocks 1 to 9, of which those from 1 to 6 are set aside on demand. */
async function filled(): Promise<{ readonly files: MemoryArchiveFiles; spoil(): Promise<void> }> {
  const files = new MemoryArchiveFiles();
  await put(files, { blocks: madeBlocks(1, 6) }, { blocks: madeBlocks(7, 9) });
  const spoil = async (): Promise<void> => {
    const [chain] = (await keptChains(files)) ?? [];
    const segment = chain?.manifest.segments.find(({ from }) => from === 1);
    if (!chain || !segment) throw new Error("there is no segment from block 1 on");
    await setAside(files, chain.folder, segment, "its checksum is wrong");
  };
  return { files, spoil };
}

it("the engine reports the contents of an archive and its set-aside segments, and reads both again after ten seconds", async () => {
  const { files, spoil } = await filled();
  let now = 0;
  const state = new ArchiveState(files, () => now);
  const chain = { chainId: "1", ranges: [{ from: 1, to: 9 }], aside: [] };
  expect((await state.read()).chains).toMatchObject([chain]);
  await spoil();
  expect((await state.read()).chains).toMatchObject([chain]);
  now = 10_000;
  const aside = [{ kind: "blocks", from: 1, to: 6, why: "its checksum is wrong" }];
  expect((await state.read()).chains).toMatchObject([{ ranges: [{ from: 7, to: 9 }], aside }]);
});

it("the engine reports that the folder cannot be read, without its path, and hides no other error", async () => {
  const failing = (error: Error): ArchiveState => {
    const files = new MemoryArchiveFiles();
    return new ArchiveState(Object.assign(files, { list: () => Promise.reject(error) }), () => 0);
  };
  const refused = Object.assign(new Error("EACCES: permission denied, scandir '/srv/archive'"), {
    code: "EACCES",
  });
  expect(await failing(refused).read()).toEqual({ chains: [], unreadable: "EACCES" });
  await expect(failing(new TypeError("a mistake of ours")).read()).rejects.toThrow("a mistake of ours");
});
