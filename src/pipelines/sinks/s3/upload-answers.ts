import { decoded, textOf, unescaped } from "./list-answer.js";

/** A page of the uploads of a bucket. */
export interface UploadPage {
  readonly uploads: readonly { readonly key: string; readonly id: string }[];
  /** What the next page is asked for with; `undefined` on the last page. */
  readonly next: Readonly<Record<string, string>> | undefined;
}

/** The text of an element in an answer about an upload; `undefined` if there is none. */
export function readUploadText(xml: string, element: "UploadId" | "ETag"): string | undefined {
  const text = textOf(xml, element);
  return text === undefined || text === "" ? undefined : unescaped(text);
}

/**
 * Reads the answer to a ListMultipartUploads request whose keys are encoded as in URLs.
 * @returns `undefined` for anything else
 */
export function readUploadPage(xml: string): UploadPage | undefined {
  if (!/<ListMultipartUploadsResult[\s>]/.test(xml)) return undefined;
  const uploads: { readonly key: string; readonly id: string }[] = [];
  for (const [, inside = ""] of xml.matchAll(/<Upload>((?:(?!<\/Upload>)[\s\S])*)<\/Upload>/g)) {
    const key = decoded(unescaped(textOf(inside, "Key") ?? "%"));
    const id = readUploadText(inside, "UploadId");
    if (key === undefined || id === undefined) return undefined;
    uploads.push({ key, id });
  }
  if (textOf(xml, "IsTruncated") !== "true") return { uploads, next: undefined };
  const key = decoded(unescaped(textOf(xml, "NextKeyMarker") ?? "%"));
  const id = unescaped(textOf(xml, "NextUploadIdMarker") ?? "");
  if (key === undefined || key === "") return undefined;
  return { uploads, next: { "key-marker": key, ...(id !== "" && { "upload-id-marker": id }) } };
}
