/** A child process that follows its parent's messages. */
import { readFileSync } from "node:fs";
import { joinParent } from "../../../src/machine/processes/join-parent.js";

const channels = joinParent((error) => port.postMessage({ failure: String(error) }));
const port = channels.open(1);
const held: Buffer[] = [];

port.on("message", (order: string) => {
  if (order === "show") {
    const score = readFileSync("/proc/self/oom_score_adj", "utf8").trim();
    port.postMessage({ env: { ...process.env }, flags: process.execArgv, score, pid: process.pid });
  } else if (order === "hold") setInterval(() => held.push(Buffer.alloc(20_000_000, 1)), 5);
  else if (order === "fill") {
    for (const all: object[] = []; ; ) all.push({});
  } else if (order === "throw") throw new Error("nobody catches it");
  else process.kill(process.pid, order);
});
