/** A version as the page of its entity shows it. */
export interface ShownVersion {
  readonly block: string;
  readonly time: string;
  readonly transaction: string;
  readonly change: string;
  /** Who wrote it, in the words of the page. */
  readonly handler: string;
  /** The handlers that may have written it. */
  readonly writers: readonly ShownWriter[];
}

/** A handler: `handleSwap of Pool`, and its place in the configuration. */
export interface ShownWriter {
  readonly who: string;
  readonly place: string;
}

/** Reads the history of an entity, page by page, newest version first. */
export async function shownHistory(
  read: (path: string) => Promise<string>,
  path: string,
): Promise<readonly ShownVersion[]> {
  const page = await read(path);
  const [, older] = /<a href="([^"]*)">Older versions<\/a>/.exec(page) ?? [];
  const versions = versionsOn(page);
  if (older === undefined) return versions;
  return [...versions, ...(await shownHistory(read, older.replaceAll("&amp;", "&")))];
}

function versionsOn(page: string): readonly ShownVersion[] {
  const [, body = ""] = /aria-label="History".*?<tbody>(.*?)<\/tbody>/s.exec(page) ?? [];
  const several = listedWriters(page);
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = ""]) => {
    const cells = [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = ""]) => textOf(cell));
    const [block = "", time = "", transaction = "", change = "", handler = "", place = ""] = cells;
    const isSeveral = handler.startsWith("one of ");
    const writers = isSeveral ? several : place === "" ? [] : [{ who: handler, place }];
    return { block, time, transaction, change, handler, writers };
  });
}

/** The list of handlers below a history. */
function listedWriters(page: string): readonly ShownWriter[] {
  const items = page.matchAll(
    /<li>(<span class="mono">[^<]*<\/span> <span class="small soft">of .*?)<\/li>/g,
  );
  return [...items].map(([, item = ""]) => {
    const [, who = "", place = ""] = /^(.*?) on .*: ([^:]*(?::\d+)?)$/.exec(textOf(item)) ?? [];
    return { who, place };
  });
}

function textOf(markup: string): string {
  return markup.replace(/<[^>]*>/g, "").trim();
}
