import type { FolderOwner } from "./file-folder.js";
import { PartitionedWindows } from "./partitioned-windows.js";
import { PlainWindows } from "./plain-windows.js";
import type { AuditedFiles } from "./window-files.js";
import type { WindowLayout } from "./window-layout.js";

/** How the windows of a folder are kept. */
export function windowLayout({
  files,
  columns,
  partitions = [],
  form,
}: Pick<FolderOwner, "columns" | "partitions" | "form"> & { readonly files: AuditedFiles }): WindowLayout {
  return partitions.length > 0
    ? new PartitionedWindows(files, columns, partitions, form)
    : new PlainWindows(files, columns, form);
}
