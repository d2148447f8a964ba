import { execFileSync } from "node:child_process";

/** The settings of V8 that this version of Node has, of `name=value`, `name` or `no-name`, as arguments of Node. */
export function flagsOfV8(...settings: readonly string[]): string[] {
  const known = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  const isKnown = (setting: string) => known.includes(`\n  --${setting.replace(/^no-|=.*/g, "")} (`);
  return settings.filter(isKnown).map((setting) => `--${setting}`);
}
