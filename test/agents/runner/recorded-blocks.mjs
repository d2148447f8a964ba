/** How many blocks of the recorded chain there are: 8214300 to 8214499. */
export const recordedBlocks = 200;
