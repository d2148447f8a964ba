import { type Logger, pino } from "pino";
import { visible } from "../../base/visible.js";
import type { ServeArguments } from "./serve-arguments.js";

const levels: Readonly<Record<number, string>> = {
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "error",
};
/** Fields of every line, which stand elsewhere or say nothing here. */
const usual: ReadonlySet<string> = new Set(["level", "time", "msg", "reqId", "err"]);

/** The log of a server: a JSON document a line, or words for people. */
export function createServerLog(
  { logFormat, logLevel }: Pick<ServeArguments, "logFormat" | "logLevel">,
  print: (text: string) => void,
): Logger {
  const write = (line: string): void => print(logFormat === "json" ? line : asText(line));
  return pino({ level: logLevel, base: null, redact: ["req.headers.authorization"] }, { write });
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
    readonly level: number;
    readonly time: number;
    readonly err?: { readonly stack?: string; readonly message?: string };
  };
  const shown = Object.entries(fields)
    .filter(([name]) => !usual.has(name))
    .map(([name, value]) => ` ${name}=${visible(typeof value === "string" ? value : JSON.stringify(value))}`);
  const clock = new Date(time).toISOString().slice(11, 19);
  const failure = err ? `\n${(err.stack ?? err.message ?? "").split("\n").map(visible).join("\n")}` : "";
  return `${clock} ${levels[level] ?? level} ${visible(String(msg))}${shown.join("")}${failure}\n`;
}
