import { filePath } from "../../runtime/files/file-path.js";
import type { Files } from "../../runtime/files/files.js";
import { arweavePath } from "../../runtime/indexer/file-sources.js";
import { type JsonTest, JsonTestError, type MockedFile } from "./json-test.js";

/** Reads a file that a test names, relative to the test. @returns `undefined` when there is none */
export type ReadBeside = (path: string) => Promise<Uint8Array | undefined>;

/** The files that handlers of a test find. @throws JsonTestError */
export async function mockedFiles(
  { files, arweaveFiles }: Pick<JsonTest, "files" | "arweaveFiles">,
  read: ReadBeside,
): Promise<Files> {
  const contents = new Map<string, Uint8Array>();
  for (const file of files) {
    const path = filePath(file.id);
    if (path === undefined) throw new JsonTestError(`${file.id} in "files" is not the CID of a file.`);
    contents.set(path, await contentOf(file, read));
  }
  for (const file of arweaveFiles) contents.set(arweavePath(file.id), await contentOf(file, read));
  return { read: async (path) => contents.get(filePath(path) ?? path) };
}

async function contentOf({ id, content, file }: MockedFile, read: ReadBeside): Promise<Uint8Array> {
  if ((content === undefined) === (file === undefined)) {
    throw new JsonTestError(`${id} must have either "content" or "file".`);
  }
  if (content !== undefined) return new TextEncoder().encode(content);
  const found = await read(file ?? "");
  if (found) return found;
  throw new JsonTestError(`The file ${file} for ${id} cannot be read.`);
}
