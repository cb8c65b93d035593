import type { JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import type { CallContext, ResultPage, Tool, ToolOutcome } from "../../core/tool.ts";

/** Reads on in a result that was too long to be given whole. */
export const readWorkspaceResult: Tool = {
  definition: {
    name: "ReadWorkspaceResult",
    description:
      "Reads a part of a result that was too long to be given whole. Such a result says the id and where to read on; it is kept for an hour. " +
      "The answer is the text from offset on, and a line with the offset of the next part.",
    parameters: {
      type: "object",
      properties: {
        id: { type: "string", description: "The id that the long result named." },
        offset: { type: "integer", minimum: 0, default: 0, description: "Where to begin, in characters." },
        limit: { type: "integer", minimum: 1, description: "Most characters to give. Left out: as many as fit." },
      },
      required: ["id"],
      additionalProperties: false,
    },
    annotations: { title: "Read on in a long result", readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    timeoutMs: LIMITS.callTimeoutMs.default,
  },
  status: () => ({ kind: "ready" }),
  call: readResult,
};

async function readResult({ services }: CallContext, { id, offset, limit }: JsonObject): Promise<ToolOutcome> {
  const page = await services.readResult(String(id), {
    ...(typeof offset === "number" ? { offset } : {}),
    ...(typeof limit === "number" ? { limit } : {}),
  });
  // Two blocks: the first is exactly the text, so that parts put together are the whole.
  return {
    kind: "content",
    blocks: [
      { type: "text", text: page.text },
      { type: "text", text: lineOf(page) },
    ],
  };
}

function lineOf({ offset, text, characters, nextOffset }: ResultPage): string {
  const range = `[Characters ${offset} to ${offset + text.length} of ${characters}.`;
  return nextOffset === undefined ? `${range} This is the end.]` : `${range} The next part begins at offset ${nextOffset}.]`;
}
