import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { ChainArchive } from "../../../src/datasets/archive/chain-archive.js";
import { keptChains } from "../../../src/datasets/archive/kept-chains.js";
import { verifyChain } from "../../../src/datasets/archive/verify/verify-chain.js";
import { openArchiveFiles } from "../../../src/machine/files/archive-files.js";
import { hashOf, put } from "../../support/archive/made-chain.js";
import { testFolder } from "../../support/folder.js";

/** At how many of its operations on files a merging process is killed. */
const kills = Number(process.env.GRAPHLOOM_KILLS ?? 2);
const segments = 16;
const question = (number: number): string => `read ${hashOf(`block ${number}`)} 0xa1 0x`;

/** Writes the last of so many segments in a process of its own, which is killed at one of its operations. */
async function merge(folder: string, at: number): Promise<NodeJS.Signals | null> {
  const dist = (path: string): string =>
    JSON.stringify(new URL(`../../../dist/${path}`, import.meta.url).href);
  const script = `
    import { ChainArchive } from ${dist("datasets/archive/chain-archive.js")};
    import { openArchiveFiles } from ${dist("machine/files/archive-files.js")};
    const real = openArchiveFiles(${JSON.stringify(folder)});
    let left = ${at};
    const files = Object.fromEntries(Object.entries(real).map(([name, work]) => [name, async (...given) => {
      if (left-- > 0) return work(...given);
      // Somewhere within the operation: it has begun, and nobody waits for its end.
      void work(...given);
      process.kill(process.pid, "SIGKILL");
    }]));
    const archive = await ChainArchive.open({ files, folder: "1", chainId: "1" });
    const answer = { block: ${segments}, hash: ${JSON.stringify(hashOf(`block ${segments}`))} };
    await archive.addAnswer({ ...answer, question: ${JSON.stringify(question(segments))}, answer: "1" });
    await archive.flush();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [code, signal] = await once(child, "close");
  if (signal === null) expect(code).toBe(0);
  return signal;
}

it("a process that is killed while it merges segments loses none of them", async () => {
  const filled = testFolder();
  const answers = Array.from({ length: segments - 1 }, (_, index) => index + 1);
  await put(
    openArchiveFiles(filled),
    ...answers.map((number) => ({ answers: [{ number, question: question(number), answer: "1" }] })),
  );
  const isThere = async (folder: string): Promise<void> => {
    const files = openArchiveFiles(folder);
    const [chain] = (await keptChains(files)) ?? [];
    if (!chain) throw new Error("it has no chain");
    expect((await verifyChain(files, chain)).faults).toEqual([]);
    const archive = await ChainArchive.open({ files, folder: "1", chainId: "1" });
    for (const number of answers) expect(await archive.answer(number, question(number))).toBe("1");
  };
  // The operations of a merge: those that only read, 3 that write and list, and twice as many as there are files.
  const operations = 3 * segments;
  for (let kill = 0; kill < kills; kill++) {
    const folder = testFolder();
    cpSync(filled, folder, { recursive: true });
    const at = 1 + Math.floor((kill * operations) / kills);
    expect(await merge(folder, at), `operation ${at}`).toBe("SIGKILL");
    await isThere(folder);
    expect(await merge(folder, 1_000)).toBeNull();
    await isThere(folder);
    const [chain] = (await keptChains(openArchiveFiles(folder))) ?? [];
    expect(chain?.manifest.segments.length, `operation ${at}`).toBeLessThanOrEqual(2);
  }
});
