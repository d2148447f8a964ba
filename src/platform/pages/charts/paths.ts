/** The height of a value in a frame, from 0 to the height of the frame. Values above 0 are at least 1 high. */
export function heightOf(value: number, most: number, height: number): number {
  if (!(value > 0)) return 0;
  if (!(most > 0)) return height;
  return Math.min(height, Math.max(1, Math.round((value / most) * height)));
}

/**
 * The path of an area with one step for each value, one unit wide. It stands on the lower edge of the frame.
 * @param values at least 0; where one is undefined, the area has a gap
 * @param most the value that is as high as the frame
 */
export function areaPath(values: readonly (number | undefined)[], most: number, height: number): string {
  let path = "";
  for (const { start, end, value: isThere } of runsOf(values.map((value) => value !== undefined))) {
    if (!isThere) continue;
    path += `M${start} ${height}`;
    const heights = values.slice(start, end).map((value = 0) => heightOf(value, most, height));
    for (const run of runsOf(heights)) path += `V${height - run.value}h${run.end - run.start}`;
    path += `V${height}`;
  }
  return path;
}

/** The path of a horizontal line that exists in some columns, one unit wide each. @param y its height in the frame */
export function linePath(isThere: readonly boolean[], y: number): string {
  return runsOf(isThere)
    .filter(({ value }) => value)
    .map(({ start, end }) => `M${start} ${y}h${end - start}`)
    .join("");
}

/** Consecutive equal values. */
export interface Run<Value> {
  readonly value: Value;
  /** The index of the first, and the one after the last. */
  readonly start: number;
  readonly end: number;
}

/** Groups consecutive equal values. */
export function runsOf<Value>(values: readonly Value[]): readonly Run<Value>[] {
  const runs: Run<Value>[] = [];
  for (const [index, value] of values.entries()) {
    const last = runs.at(-1);
    if (last && last.value === value) runs[runs.length - 1] = { ...last, end: index + 1 };
    else runs.push({ value, start: index, end: index + 1 });
  }
  return runs;
}
