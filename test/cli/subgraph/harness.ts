import { api, deployed } from "../remote/harness.js";

const seconds = 1000;

/** A project whose subgraph has logged this. */
export async function logged(...entries: [secondsAgo: number, level: string, text: string][]) {
  const all = await api({ logPageSize: 3 });
  await deployed(all, "pools", "1.0.0");
  const now = Date.now();
  const add = (...more: typeof entries): void =>
    all.server.log(
      "pools",
      "1.0.0",
      ...more.map(([ago, level, text]) => ({ timestamp: now - ago * seconds, level, text })),
    );
  add(...entries);
  return { ...all, add };
}

/** What was logged, of what was printed. */
export function texts(out: string): readonly string[] {
  return out
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^\S+ \w+ +/, ""));
}
