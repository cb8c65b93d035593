/** What a terminal would act on: control characters but for tab and line feed, C1, and marks that turn the direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
export const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
