import type { LogLine, PlacedLine } from "../core/tool.ts";
import type { SandboxScript, SourcePosition } from "../sandbox/sandbox-call.ts";

/** A line of the log with its place in the files the author wrote, where it has one. */
export function tellPlace({ at, ...line }: PlacedLine, { locate }: Pick<SandboxScript, "locate">): LogLine {
  const frames = (at ?? []).flatMap((value, index, flat): readonly SourcePosition[] => {
    const column = flat[index + 1];
    return index % 2 === 1 || column === undefined ? [] : [{ line: value, column }];
  });
  const place = frames.length === 0 ? undefined : locate?.(frames, line.text);
  return place === undefined ? line : { ...line, text: `${line.text} (${place.file}:${place.line}:${place.column})` };
}
