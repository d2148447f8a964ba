import { platform, setPriority } from "node:os";

const niceness = 8;

/** Lowers the calling thread's priority below the threads that answer requests. Linux only. */
export function standBehindRequests(): void {
  // On Linux, 0 is this thread; elsewhere it would be the whole process.
  if (platform() === "linux") setPriority(0, niceness);
}
