/** A file whose name says which blocks it covers. */
export interface NamedWindow {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** A file below the folder of a source. */
export type WindowFile = NamedWindow | { readonly path: string; readonly from: undefined };

const digits = 12;

/** The name for parts of a window: `000000000000-000000009999`. */
export function windowName(from: number, to: number): string {
  return [from, to].map((block) => String(block).padStart(digits, "0")).join("-");
}

/** The folder of a source, whose name may be one that file systems refuse. Different names have different folders. */
export function sourceFolder(source: string): string {
  return source.replaceAll(/[^A-Za-z0-9._-]|^\./g, (odd) =>
    [...Buffer.from(odd)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  );
}

/**
 * The files below a folder by the windows of their names, in order. Drafts that were not finished are left out.
 * @param ending what the names of windows end in
 */
export function windowsIn(folder: string, ending: string, paths: readonly string[]): readonly WindowFile[] {
  return paths
    .filter((path) => path.startsWith(`${folder}/`) && !path.endsWith(".tmp"))
    .map((path) => {
      const [, from, to, end] = /\/(\d+)-(\d+)(\.\w+)$/.exec(path) ?? [];
      if (from === undefined || to === undefined || end !== ending) return { path, from: undefined };
      return { path, from: Number(from), to: Number(to) };
    });
}

/** An earlier window that has blocks of a window, too. @param windows in the order of their names */
export function overlapped(windows: readonly WindowFile[], window: NamedWindow): NamedWindow | undefined {
  for (const other of windows) {
    if (other.path === window.path) return undefined;
    if (other.from !== undefined && other.from <= window.to && other.to >= window.from) return other;
  }
  return undefined;
}
