import type { Probe } from "../probe.ts";
import { secretCommand } from "../tool-table.ts";
import type { CheckContext } from "./check-context.ts";

/** Every secret a tool names is stored. */
export const secretsProbe: Probe<Pick<CheckContext, "tools" | "flag" | "placeOf">> = {
  name: "secrets",
  about: "every secret that a tool names is stored",
  code: "VAULT",
  run: ({ tools, placeOf, flag }) =>
    tools.flatMap(({ name, status, hosts = [] }) => {
      if (status.kind !== "needs-secret") return [];
      const names = status.missing.join(" and ");
      const message = `${names} ${status.missing.length === 1 ? "is" : "are"} not stored, so its calls fail`;
      return [
        {
          code: "SECRET_MISSING",
          severity: "warning",
          place: placeOf(name, status.missing[0]),
          tool: name,
          message,
          mend: secretCommand(status.missing, hosts, flag),
        } as const,
      ];
    }),
};
