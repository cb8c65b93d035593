/**
 * The border of a realm and the guest sides of its capabilities as one script, since each script costs a new isolate
 * several crossings between threads. Each text stands in a scope of its own: no guest sees a name of the border.
 */
import type { RealmSources } from "./isolate-contract.ts";

/** An expression for the realm, the capabilities added to it. */
export function realmScript({ prelude, capabilities }: Pick<RealmSources, "prelude" | "capabilities">): string {
  const guests = capabilities.map(({ name, guest }) => `[${JSON.stringify(name)}, (\n${withoutEnd(guest)}\n)]`);
  return `((realm, guests) => {
  for (let index = 0; index < guests.length; index++) realm.addCapability(guests[index][0], guests[index][1]);
  return realm;
})(${withoutEnd(prelude)}, (() => {
"use strict";
return [${guests.join(",\n")}];
})())`;
}

/** The text as it may stand inside brackets: it is an expression, written as a statement. */
function withoutEnd(expression: string): string {
  return expression.trimEnd().replace(/;$/, "");
}
