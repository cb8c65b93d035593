/** The 22 ways out of section 2.2 of the threat list: what the attacker does, and what has to come of it. */
import type { Row } from "./row.ts";
import { ROWS_BACK } from "./rows-back.ts";
import { ROWS_OUT } from "./rows-out.ts";

/** In the order of the list. */
export const ROWS: readonly Row[] = [...ROWS_BACK, ...ROWS_OUT];
