/** A value of a metric, with its labels. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const name = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const label = String.raw`[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"`;
const samplePattern = new RegExp(
  String.raw`^(${name})(?:\{((?:${label})(?:,(?:${label}))*)\})? (Na[nN]|[+-]Inf|-?[0-9.]+(?:e[+-]?\d+)?)$`,
);
const suffixes: Readonly<Record<string, readonly string[]>> = {
  counter: [""],
  gauge: [""],
  histogram: ["_bucket", "_sum", "_count"],
  summary: ["", "_sum", "_count"],
};

/**
 * Reads metrics as Prometheus does (exposition format 0.0.4).
 * @throws Error for violations of the format: an invalid line, a sample without a type, or a repeated sample
 */
export function readExposition(text: string): readonly Sample[] {
  const samples: Sample[] = [];
  const seen = new Set<string>();
  const allowed = new Set<string>();
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, kind, family = "", rest = ""] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (kind === "TYPE") {
      const ends = suffixes[rest];
      if (!ends || allowed.has(`${family}${ends[0]}`)) throw new Error(`no type, or twice: ${line}`);
      for (const end of ends) allowed.add(`${family}${end}`);
    }
    if (kind !== undefined) continue;
    const [, found = "", labels = "", value = ""] = samplePattern.exec(line) ?? [];
    if (found === "" || !allowed.has(found)) throw new Error(`no sample, or without a type: ${line}`);
    if (seen.has(`${found}{${labels}}`)) throw new Error(`twice: ${line}`);
    seen.add(`${found}{${labels}}`);
    const pairs = [...labels.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)];
    samples.push({
      name: found,
      labels: Object.fromEntries(pairs.map(([, key = "", text = ""]) => [key, text])),
      value: Number(value.replace("Inf", "Infinity")),
    });
  }
  return samples;
}

/** The value of a sample whose labels include the given ones; `undefined` when there is none. */
export function sampleValue(
  samples: readonly Sample[],
  wanted: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  return samples.find(
    (sample) =>
      sample.name === wanted && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )?.value;
}
