import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { SinkError } from "../../state/sink-error.js";
import { readBulkAnswer } from "./bulk-answer.js";
import { postSearch, type SearchIndex, searchFailure } from "./search-request.js";

/** A document as the server has it. */
export interface FoundDocument {
  readonly id: string;
  readonly version: number;
  readonly source: Readonly<Record<string, unknown>>;
}

/** Documents that are asked for at once. */
const most = 500;
/** Ids of a page, and how long the server keeps the place of the next one. */
const page = { size: 1_000, kept: "2m" };

/** The documents of an index. Every method throws SinkError. */
export class SearchDocuments {
  readonly #index: SearchIndex;

  constructor(index: SearchIndex) {
    this.#index = index;
  }

  /** Documents with these ids, as they are at this moment, as far as there are any. */
  async get(ids: readonly string[]): Promise<ReadonlyMap<string, FoundDocument>> {
    const found = new Map<string, FoundDocument>();
    for (let start = 0; start < ids.length; start += most)
      for (const document of await this.#get(ids.slice(start, start + most)))
        found.set(document.id, document);
    return found;
  }

  async #get(ids: readonly string[]): Promise<readonly FoundDocument[]> {
    const reply = await this.#post("_mget", JSON.stringify({ ids }));
    if (reply.kind === "failed") {
      if (reply.status === 404) return [];
      const isLong = reply.status === undefined && /longer than/.test(reply.why);
      if (!isLong || ids.length === 1) throw searchFailure(reply);
      const middle = ids.length >> 1;
      return [...(await this.#get(ids.slice(0, middle))), ...(await this.#get(ids.slice(middle)))];
    }
    const answer = parseJson(Buffer.from(reply.body).toString());
    const documents: readonly unknown[] = isRecord(answer) && Array.isArray(answer.docs) ? answer.docs : [];
    if (documents.length !== ids.length) throw strange();
    return documents.flatMap((document) => foundDocument(document) ?? []);
  }

  /** The ids of all documents, page by page. */
  async *ids(): AsyncGenerator<readonly string[], void, void> {
    const refreshed = await this.#post("_refresh", "");
    if (refreshed.kind === "failed") {
      if (refreshed.status === 404) return;
      throw searchFailure(refreshed);
    }
    const first = JSON.stringify({ size: page.size, sort: ["_doc"], _source: false });
    let reply = await this.#post(`_search?scroll=${page.kept}`, first);
    for (;;) {
      if (reply.kind === "failed") throw searchFailure(reply);
      const answer = parseJson(Buffer.from(reply.body).toString());
      const hits = isRecord(answer) && isRecord(answer.hits) ? answer.hits.hits : undefined;
      if (!isRecord(answer) || !Array.isArray(hits) || typeof answer._scroll_id !== "string") throw strange();
      if (hits.length === 0) return;
      yield hits.map((hit) => String(isRecord(hit) ? hit._id : ""));
      const next = JSON.stringify({ scroll: page.kept, scroll_id: answer._scroll_id });
      reply = await postSearch(this.#index, "/_search/scroll", "application/json", next);
    }
  }

  /** Deletes documents, as far as they are still as they were found. */
  async delete(documents: readonly FoundDocument[]): Promise<void> {
    for (let start = 0; start < documents.length; start += most) {
      const part = documents.slice(start, start + most);
      const lines = part.map(({ id, version }) => {
        const about = { _index: this.#index.index, _id: id, version: version + 1, version_type: "external" };
        return `${JSON.stringify({ delete: about })}\n`;
      });
      const reply = await postSearch(this.#index, "/_bulk", "application/x-ndjson", lines.join(""));
      if (reply.kind === "failed") throw searchFailure(reply);
      const failed = readBulkAnswer(reply.body, part.length)?.find(
        ({ status }) => status >= 300 && status !== 404,
      );
      if (failed) throw new SinkError(`The server has not deleted a document: ${failed.why}`, true);
    }
  }

  #post(path: string, body: string): ReturnType<typeof postSearch> {
    return postSearch(
      this.#index,
      `/${encodeURIComponent(this.#index.index)}/${path}`,
      "application/json",
      body,
    );
  }
}

/** @throws SinkError for something else than a document or the lack of one */
function foundDocument(document: unknown): FoundDocument | undefined {
  if (!isRecord(document) || typeof document._id !== "string") throw strange();
  const { _id: id, _version: version, _source: source, found, error } = document;
  if (found !== true) {
    const isMissing = error === undefined || (isRecord(error) && error.type === "index_not_found_exception");
    if (isMissing) return undefined;
    throw strange();
  }
  if (typeof version !== "number" || !isRecord(source)) throw strange();
  return { id, version, source };
}

function strange(): SinkError {
  return new SinkError("The server does not answer as a search server does. Is its address right?", true);
}
