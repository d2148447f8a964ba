/**
 * The arguments of Node that let a process kill itself at one of its operations on files below a folder: before it, or when
 * half of a file is written.
 * @param at the operation, counted from 0
 */
export function killingAt(at: number, folder: string): readonly string[] {
  const code = `const [at, folder] = ${JSON.stringify([at, folder])};${preload}`;
  return ["--import", `data:text/javascript,${encodeURIComponent(code)}`];
}

const preload = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
let count = 0;
const step = () => {
  if (count++ < at) return;
  process.kill(process.pid, "SIGKILL");
  for (;;);
};
const isBelow = (path) => String(path).startsWith(folder);
for (const name of ["mkdir", "rename", "rm"]) {
  const real = fs.promises[name];
  fs.promises[name] = (path, ...rest) => {
    if (isBelow(path)) step();
    return real(path, ...rest);
  };
}
const open = fs.promises.open;
fs.promises.open = async (path, ...rest) => {
  if (isBelow(path)) step();
  const file = await open(path, ...rest);
  if (!isBelow(path)) return file;
  for (const name of ["writeFile", "datasync", "sync", "close"]) {
    const real = file[name].bind(file);
    file[name] = (...given) => {
      if (name === "writeFile" && count === at) fs.writeSync(file.fd, given[0], 0, given[0].length >> 1);
      step();
      return real(...given);
    };
  }
  return file;
};
syncBuiltinESMExports();
`;
