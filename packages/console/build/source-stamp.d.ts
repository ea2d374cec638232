export declare const builtFolder: string;
export declare function sourceStamp(): string;
export declare function builtStamp(): string | undefined;
