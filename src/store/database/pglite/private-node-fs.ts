import { NodeFS } from "@electric-sql/pglite/nodefs";
import { othersBits } from "./private-files.js";

type Init = NodeFS["init"];
type Module = Parameters<NonNullable<Parameters<Init>[1]["preRun"]>[number]>[0];

/** What makes files for the program in WebAssembly. */
interface FileMaker {
  readonly node_ops: {
    mknod(parent: object, name: string, mode: number, device: number): object;
    setattr(node: object, attributes: { readonly mode?: number }): void;
  };
}

/** The folder of a database whose files are made for their owner alone. PGlite asks for 0666, whatever the umask. */
export class PrivateNodeFS extends NodeFS {
  override async init(...[pglite, options]: Parameters<Init>): ReturnType<Init> {
    const { emscriptenOpts } = await super.init(pglite, options);
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [withhold, ...(emscriptenOpts.preRun ?? [])] } };
  }
}

/** Has a module make no file for others. */
function withhold(module: Module): void {
  const { node_ops: files }: FileMaker = module.NODEFS;
  const { mknod, setattr } = files;
  files.mknod = (parent, name, mode, device) => mknod(parent, name, mode & ~othersBits, device);
  files.setattr = (node, attributes) => {
    const { mode } = attributes;
    setattr(node, mode === undefined ? attributes : { ...attributes, mode: mode & ~othersBits });
  };
}
