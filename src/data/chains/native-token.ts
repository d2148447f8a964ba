/** The token that stands for the native coin of a chain. */
export const nativeToken = `0x${"0".repeat(40)}`;
