import { type Logger, pino } from "pino";
import { visible } from "../../base/text/visible.js";
import type { ServeArguments } from "./serve-arguments.js";

/** Fields of every line that are printed elsewhere or carry no information. */
const usual: ReadonlySet<string> = new Set(["level", "time", "msg", "reqId", "err"]);

/** The log of a server, as one JSON document per line or as text. @param print receives lines with their line breaks */
export function createServerLog(
  {
    format,
    level,
  }: { readonly format: "text" | "json"; readonly level: ServeArguments["logLevel"] | "trace" },
  print: (text: string) => void,
): Logger {
  const write = (line: string): void => print(format === "json" ? line : asText(line));
  return pino(
    {
      level,
      base: null,
      // Headers carry keys, and libraries log headers at their most verbose level.
      redact: ["req.headers.authorization", "busboyOptions.headers", "err.rawPacket"],
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    { write },
  );
}

/** `12:30:05 info answered method=GET path=/health status=200` */
function asText(line: string): string {
  const {
    level,
    time,
    msg = "",
    err,
    ...fields
  } = JSON.parse(line) as Record<string, unknown> & {
    readonly level: string;
    readonly time: string;
    readonly err?: { readonly stack?: string; readonly message?: string };
  };
  const shown = Object.entries(fields)
    .filter(([name]) => !usual.has(name))
    .map(([name, value]) => ` ${name}=${visible(typeof value === "string" ? value : JSON.stringify(value))}`);
  const failure = err ? `\n${(err.stack ?? err.message ?? "").split("\n").map(visible).join("\n")}` : "";
  return `${time.slice(11, 19)} ${level} ${visible(String(msg))}${shown.join("")}${failure}\n`;
}
