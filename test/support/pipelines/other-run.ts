import { hostname } from "node:os";
import { pid } from "node:process";

/** How a sentence names this process: a test opens a sink twice. */
export const thisRun = new RegExp(
  `: process ${pid} on ${hostname().replaceAll(".", "\\.")}, since \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z\\. Stop one of them`,
);
