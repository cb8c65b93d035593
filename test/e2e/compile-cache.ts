/** Code that Node compiled for one command is kept for the next: the tests start hundreds, and users start one at a time. */
import { resolve } from "node:path";

/** The variable for the command at `cli`, by which Node keeps compiled code in the folder it is installed in. */
export function compileCache(cli: string): { readonly NODE_COMPILE_CACHE: string } {
  return { NODE_COMPILE_CACHE: resolve(cli, "../../../../../compile-cache") };
}
