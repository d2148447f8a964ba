import { NodeFS } from "@electric-sql/pglite/nodefs";
import { othersBits } from "./private-files.js";

type Init = NodeFS["init"];
type Module = Parameters<NonNullable<Parameters<Init>[1]["preRun"]>[number]>[0];

/** The part of the file system that creates files for the WebAssembly program. */
interface FileMaker {
  readonly node_ops: {
    mknod(parent: object, name: string, mode: number, device: number): object;
    setattr(node: object, attributes: { readonly mode?: number }): void;
  };
}

/** A database folder whose files only their owner can access. PGlite requests mode 0666, whatever the umask is. */
export class PrivateNodeFS extends NodeFS {
  override async init(...[pglite, options]: Parameters<Init>): ReturnType<Init> {
    const { emscriptenOpts } = await super.init(pglite, options);
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [withhold, ...(emscriptenOpts.preRun ?? [])] } };
  }
}

/** Makes a module create files for their owner only. */
function withhold(module: Module): void {
  const { node_ops: files }: FileMaker = module.NODEFS;
  const { mknod, setattr } = files;
  files.mknod = (parent, name, mode, device) => mknod(parent, name, mode & ~othersBits, device);
  files.setattr = (node, attributes) => {
    const { mode } = attributes;
    setattr(node, mode === undefined ? attributes : { ...attributes, mode: mode & ~othersBits });
  };
}
