/** Why the system refuses an operation on any file, by error code, in words that can follow a colon. */
export const fileReasons = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is exceeded",
} as const satisfies Readonly<Record<string, string>>;
