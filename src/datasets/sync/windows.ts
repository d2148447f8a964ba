/** Blocks of a file, both ends inclusive. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** An existing file, and the blocks that its name states. */
export interface WindowFile extends Window {
  readonly path: string;
}

/** A file to be written, and the files that it replaces. */
export interface PlannedWindow extends Window {
  readonly replaces: readonly string[];
}

/** The missing files of a range. */
export interface WindowPlan {
  /** In block order. */
  readonly missing: readonly PlannedWindow[];
  /** Files whose blocks another file also has. */
  readonly covered: readonly string[];
  /** Number of existing windows. */
  readonly present: number;
}

const digits = 10;

/**
 * The path of a window's file.
 * @param day the day of its first block, as `yyyy-MM-dd`
 */
export function windowPath({ from, to }: Window, day: string): string {
  const name = [from, to].map((block) => String(block).padStart(digits, "0")).join("-");
  return `dt=${day}/${name}.parquet`;
}

/** The file that a path names; `undefined` if it is not a window's file. */
export function windowFile(path: string): WindowFile | undefined {
  const [, from = "", to = ""] = /^dt=\d{4,6}-\d\d-\d\d\/(\d{10,16})-(\d{10,16})\.parquet$/.exec(path) ?? [];
  return from === "" || Number(from) > Number(to) ? undefined : { path, from: Number(from), to: Number(to) };
}

/**
 * Which files a range still needs. Windows begin at multiples of `size`, so that all ranges divide the chain alike;
 * the first and last window may be shorter. A longer file replaces a shorter one.
 * @param files files that do not cross the end of a window
 */
export function planWindows(range: Window, size: number, files: readonly WindowFile[]): WindowPlan {
  const known = new Map<number, WindowFile[]>();
  for (const file of files) {
    const index = Math.floor(file.from / size);
    known.set(index, [...(known.get(index) ?? []), file]);
  }
  const covered = [...known.values()].flatMap(coveredIn);
  const left = new Set(covered);
  const missing: PlannedWindow[] = [];
  let present = 0;
  for (let start = range.from - (range.from % size); start <= range.to; start += size) {
    const here = (known.get(start / size) ?? []).filter(({ path }) => !left.has(path));
    const from = Math.max(start, range.from);
    const to = Math.min(start + size - 1, range.to);
    if (here.some((file) => file.from <= from && file.to >= to)) present += 1;
    else
      missing.push({
        from: Math.min(from, ...here.map((file) => file.from)),
        to: Math.max(to, ...here.map((file) => file.to)),
        replaces: here.map(({ path }) => path),
      });
  }
  return { missing, covered, present };
}

/** Files of a window whose blocks are all in another of its files. */
function coveredIn(files: readonly WindowFile[]): readonly string[] {
  return files
    .filter((one, index) =>
      files.some(
        (other, place) =>
          place !== index &&
          other.from <= one.from &&
          other.to >= one.to &&
          // Of two files with the same blocks, keep the first.
          (other.from < one.from || other.to > one.to || place < index),
      ),
    )
    .map(({ path }) => path);
}
