import type { Problem } from "../../core/problem.ts";
import { canBeBasicUser } from "../../core/secret-template.ts";
import type { SecretResolution } from "../../secrets/vault.ts";
import { callersOf, secretLabel, storedName } from "./missing-secrets.ts";
import type { BindingContext } from "./secret-bindings.ts";

/** A finding for each value that cannot stand where a tool names it, which else the call alone would tell. By the names in the vault. */
export function valueProblems(
  { scriptTools, agents, prefix }: BindingContext,
  values: ReadonlyMap<string, SecretResolution>,
): readonly Problem[] {
  const found = scriptTools.flatMap(({ entry, headers }) =>
    headers.flatMap(({ name: header, template }) =>
      template.parts.flatMap((part) => {
        if (part.kind !== "basic") return [];
        return callersOf(agents).flatMap((agent): Problem[] => {
          const stored = storedName(part.user, agent);
          const value = values.get(stored);
          if (value?.kind !== "found" || canBeBasicUser(value.secret)) return [];
          const tool = prefix + entry.name;
          const label = secretLabel(part.user, stored, agent);
          const message = `${tool}: the header ${header} takes ${label} as the user name for "Basic", and its value has a colon, which would end it early; such requests fail`;
          return [{ code: "SECRET_VALUE", severity: "warning", place: entry.place, tool, message }];
        });
      }),
    ),
  );
  // Agents without a name of their own for it have the same value.
  return [...new Map(found.map((problem) => [problem.message, problem])).values()];
}
