import type { Capability, CapabilityContext, HostMethod, HostNotice } from "../core/capability.ts";
import { ToolError } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { pathText } from "../schema/value-path.ts";

/** All host methods and notices of `g`, by the names they have on the border, such as `http.makeHttpRequest`. */
export interface HostCallTable {
  /** Throws `ToolError` INVALID_REQUEST for an unknown method or parameters that do not fit, and what the method throws. */
  call(method: string, params: JsonValue, context: CapabilityContext): Promise<JsonValue>;
  /** Drops what it does not know: a notice has no answer, and the guest that sends one it should not have is not ours to help. */
  accept(notice: string, params: JsonValue, context: CapabilityContext): void;
}

/** Makes the table once for all calls. */
export function createHostCallTable(capabilities: readonly Capability[]): HostCallTable {
  const methods = new Map<string, HostMethod<unknown>>();
  const notices = new Map<string, HostNotice<unknown>>();
  for (const capability of capabilities) {
    for (const [name, method] of capability.methods) methods.set(`${capability.name}.${name}`, method);
    for (const [name, notice] of capability.notices) notices.set(`${capability.name}.${name}`, notice);
  }
  return {
    call: async (name, params, context) => {
      const method = methods.get(name);
      if (method === undefined) throw new ToolError("INVALID_REQUEST", `There is no g.${name}.`);
      const parsed = method.params.safeParse(params);
      if (parsed.success) return method.run(context, parsed.data);
      const fields = parsed.error.issues.map(({ path, message }) => {
        const parts = path.map((part) => (typeof part === "number" ? part : String(part)));
        return `${pathText(parts) || "parameters"}: ${message}`;
      });
      throw new ToolError("INVALID_REQUEST", `g.${name} was called with parameters that do not fit: ${fields.join("; ")}`);
    },
    accept: (name, params, context) => {
      const notice = notices.get(name);
      const parsed = notice?.params.safeParse(params);
      if (parsed?.success === true) notice?.accept(context, parsed.data);
    },
  };
}
