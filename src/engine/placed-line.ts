import type { LogLine, PlacedLine } from "../core/tool.ts";
import type { SandboxScript, SourcePosition } from "../sandbox/sandbox-call.ts";

/** Most lines of one text in which places are looked for; a stack has ten. */
const MAX_STACK_LINES = 200;

/**
 * A line of the log with its place in the files the author wrote, where it has one. The same goes for the lines of a stack that
 * its text holds: what a script reads of an error has the places of the text that runs.
 */
export function tellPlace({ at, ...line }: PlacedLine, script: Pick<SandboxScript, "file" | "locate">): LogLine {
  const frames = (at ?? []).flatMap((value, index, flat): readonly SourcePosition[] => {
    const column = flat[index + 1];
    return index % 2 === 1 || column === undefined ? [] : [{ line: value, column }];
  });
  const place = frames.length === 0 ? undefined : script.locate?.(frames, line.text);
  const text = tellStack(line.text, script);
  return { ...line, text: place === undefined ? text : `${text} (${place.file}:${place.line}:${place.column})` };
}

function tellStack(text: string, { file, locate }: Pick<SandboxScript, "file" | "locate">): string {
  const lines = text.split("\n", MAX_STACK_LINES + 1);
  if (locate === undefined || lines.length === 1 || lines.length > MAX_STACK_LINES) return text;
  return lines
    .map((line) => {
      const [position, row, column] = /:(\d{1,9}):(\d{1,9})\)?$/.exec(line) ?? [];
      if (position === undefined || !/^\s+at /.test(line)) return line;
      const before = line.slice(0, -position.length);
      if (!before.endsWith(` ${file}`) && !before.endsWith(`(${file}`)) return line;
      const place = locate([{ line: Number(row), column: Number(column) }], "");
      const end = position.endsWith(")") ? ")" : "";
      // What the bundler added is in no file; a place of it would be one of another text.
      if (place === undefined) return `${before}${end}`;
      return `${before.slice(0, -file.length)}${place.file}:${place.line}:${place.column}${end}`;
    })
    .join("\n");
}
