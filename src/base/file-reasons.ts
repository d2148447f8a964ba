/** Why the system refuses something with a file, by its code, in words that follow a colon: what is so for any file. */
export const fileReasons = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is exceeded",
} as const satisfies Readonly<Record<string, string>>;
