import type { PlayedAnswer, RecordedRequest } from "./recording-server.js";

/** A document of an index. */
export interface PlayedDocument {
  readonly version: number;
  /** `undefined` once it is deleted. */
  readonly source: string | undefined;
}

/** What a search server says of an item, if it does not write it. */
export type ItemFault = {
  readonly status: number;
  readonly error: { readonly type: string; readonly reason: string };
};

/** The part of a search server that bulk requests with external versions need. */
export class PlayedSearch {
  readonly documents = new Map<string, PlayedDocument>();
  /** Decides which items fail, besides those whose version is too low. */
  fault: (id: string) => ItemFault | undefined = () => undefined;

  /** The rows of all documents. */
  get rows(): readonly Record<string, unknown>[] {
    return [...this.documents.values()].flatMap(({ source }) =>
      source === undefined ? [] : [JSON.parse(source)],
    );
  }

  answer({ path, body, headers }: RecordedRequest): PlayedAnswer {
    if (path.endsWith("/_count")) return this.#count();
    if (path.endsWith("/_refresh")) return { status: 200, body: "{}" };
    if (path.endsWith("/_mget")) return this.#get(JSON.parse(body).ids);
    if (path.includes("/_search?scroll=")) return this.#page(0, JSON.parse(body).size);
    if (path === "/_search/scroll") return this.#page(...scrollOf(JSON.parse(body).scroll_id));
    if (path !== "/_bulk" || headers["content-type"] !== "application/x-ndjson") return { status: 400 };
    const lines = body.split("\n");
    // Servers refuse a body whose last line does not end.
    if (lines.pop() !== "") return { status: 400, body: "The bulk request must be terminated by a newline" };
    const items: object[] = [];
    while (lines.length > 0) {
      const [[action, about] = ["", {}]] = Object.entries<Record<string, unknown>>(
        JSON.parse(lines.shift() ?? ""),
      );
      const source = action === "index" ? lines.shift() : undefined;
      items.push({ [action]: this.#apply(action, about, source) });
    }
    return { status: 200, body: JSON.stringify({ took: 1, errors: items.length > 0, items }) };
  }

  #get(ids: readonly string[]): PlayedAnswer {
    const docs = ids.map((id) => {
      const document = this.documents.get(id);
      if (document?.source === undefined) return { _index: "transfers", _id: id, found: false };
      return { _id: id, _version: document.version, found: true, _source: JSON.parse(document.source) };
    });
    return { status: 200, body: JSON.stringify({ docs }) };
  }

  /** Pages are small, so that there are several. */
  #page(start: number, size: number): PlayedAnswer {
    const there = [...this.documents].filter(([, { source }]) => source !== undefined);
    const end = start + Math.min(size, 20);
    const hits = there.slice(start, end).map(([_id]) => ({ _id }));
    return { status: 200, body: JSON.stringify({ _scroll_id: `${end} ${size}`, hits: { hits } }) };
  }

  #count(): PlayedAnswer {
    if (this.documents.size === 0)
      return { status: 404, body: '{"error":{"type":"index_not_found_exception"},"status":404}' };
    return { status: 200, body: JSON.stringify({ count: this.rows.length, _shards: { total: 1 } }) };
  }

  #apply(action: string, about: Record<string, unknown>, source: string | undefined): object {
    const { _index, _id, version, version_type: type } = about;
    const id = String(_id);
    if (type !== "external")
      return { _index, _id, status: 400, error: { type: "parse", reason: "version_type" } };
    const fault = this.fault(id);
    if (fault) return { _index, _id, ...fault };
    const old = this.documents.get(id);
    if (old && old.version >= Number(version)) {
      const reason = `[${id}]: version conflict, current version [${old.version}] is higher or equal to the one provided [${String(version)}]`;
      return { _index, _id, status: 409, error: { type: "version_conflict_engine_exception", reason } };
    }
    this.documents.set(id, { version: Number(version), source });
    if (action === "delete")
      return old?.source === undefined
        ? { _index, _id, status: 404, result: "not_found" }
        : { _index, _id, status: 200, result: "deleted" };
    return { _index, _id, status: old ? 200 : 201, result: old ? "updated" : "created" };
  }
}

function scrollOf(id: string): readonly [start: number, size: number] {
  const [start = 0, size = 0] = id.split(" ").map(Number);
  return [start, size];
}
