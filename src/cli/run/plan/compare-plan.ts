import { visible } from "../../../base/text/visible.js";
import type { RequestCounts } from "../../reader/count-requests.js";
import { size } from "../../terminal/size.js";
import { aligned, duration } from "../figures.js";
import type { ChainPlan } from "./plan-chain.js";

/** The measured load of a run. */
export interface RealLoad {
  readonly requests: RequestCounts | undefined;
  readonly triggers: number;
  readonly versions: number;
  readonly seconds: number;
  /** Bytes that the tables and indexes of the database have grown by; `undefined` without a database. */
  readonly database: number | undefined;
  /** Bytes that were written to the archive; `undefined` without one. */
  readonly archive: number | undefined;
}

/** A figure, as planned and as counted. */
export interface ComparedFigure {
  readonly figure: string;
  readonly unit: "calls" | "bytes" | "seconds" | "count";
  readonly planned: number;
  readonly real: number;
}

/** Compares the measured load of a run with its plan. */
export function comparePlan(
  { load }: ChainPlan & { kind: "plan" },
  real: RealLoad,
): readonly ComparedFigure[] {
  const done = real.requests ?? { once: new Map(), methods: new Map() };
  const callsOf = (method: string): number =>
    (done.once.get(method)?.calls ?? 0) + (done.methods.get(method)?.calls ?? 0);
  const planned = new Map(load.methods.map(({ method, calls }) => [method, calls.estimate]));
  const names = [...new Set([...planned.keys(), ...done.once.keys(), ...done.methods.keys()])].sort();
  const bytes = [...done.once.values(), ...done.methods.values()].reduce((sum, one) => sum + one.bytes, 0);
  return [
    ...names.map((method) => ({
      figure: method,
      unit: "calls" as const,
      planned: planned.get(method) ?? 0,
      real: callsOf(method),
    })),
    {
      figure: "requests",
      unit: "calls",
      planned: load.calls.estimate,
      real: names.reduce((sum, method) => sum + callsOf(method), 0),
    },
    { figure: "answers", unit: "bytes", planned: load.bytes.estimate, real: bytes },
    { figure: "triggers", unit: "count", planned: load.triggers.estimate, real: real.triggers },
    { figure: "entity versions", unit: "count", planned: load.versions.estimate, real: real.versions },
    { figure: "time", unit: "seconds", planned: load.seconds.estimate, real: real.seconds },
    ...(real.database === undefined
      ? []
      : [
          {
            figure: "database",
            unit: "bytes" as const,
            planned: load.database.estimate,
            real: real.database,
          },
        ]),
    ...(real.archive === undefined
      ? []
      : [{ figure: "archive", unit: "bytes" as const, planned: load.archive.estimate, real: real.archive }]),
  ];
}

/** The comparison as a table. */
export function comparisonText(chain: string, figures: readonly ComparedFigure[]): string {
  const rows = figures.map(({ figure, unit, planned, real }) => [
    visible(figure),
    formatFigure(planned, unit),
    formatFigure(real, unit),
    planned === 0 ? "-" : (real / planned).toFixed(2),
  ]);
  const lines = aligned([["FIGURE", "PLANNED", "REAL", "REAL/PLANNED"], ...rows]);
  return [`${visible(chain)}: planned and real`, ...lines, ""].join("\n");
}

function formatFigure(number: number, unit: ComparedFigure["unit"]): string {
  if (unit === "bytes") return size(number);
  return unit === "seconds" ? duration(number) : `${number}`;
}
