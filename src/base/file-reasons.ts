/** Why the system refuses an operation on any file, by error code, in words that can follow a colon. */
export const fileReasons = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is exceeded",
} as const satisfies Readonly<Record<string, string>>;

const again = "Free some space, then run the same command again";

/**
 * The same for files that a command writes. May contain a second sentence, which says what to do and lacks its
 * period.
 */
export const writeReasons = {
  ...fileReasons,
  ENOSPC: `${fileReasons.ENOSPC}. ${again}`,
  EDQUOT: `${fileReasons.EDQUOT}. ${again}`,
} as const satisfies Readonly<Record<string, string>>;
