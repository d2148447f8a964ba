export declare const recordedBlocks: number;
