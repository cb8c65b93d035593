import { hash } from "node:crypto";
import { dirname } from "node:path";
import { type FileStamp, isSameStamp, isSettled } from "./file-stamp.ts";
import { type InsideFile, insideStamp, readInsideFile } from "./inside-file.ts";

/** What was made of a file, bound to the hash of its bytes. */
interface Remembered<T> {
  readonly stamp: FileStamp | undefined;
  readonly readAtMs: number;
  /** Hash of the bytes, or the kind of failure. */
  readonly content: string;
  readonly purpose: string;
  readonly value: T;
  /** Where the file really lies. */
  readonly realPath: string | undefined;
  /** False: the next look reads the file, whatever its stamp. */
  readonly isTrusted: boolean;
}

/** How a file is read and judged. */
export interface Judging<T> {
  readonly maxBytes: number;
  /** What else the judgement depends on; another text judges anew. */
  readonly purpose: string;
  readonly judge: (read: InsideFile, sha256: string) => T;
  /** Called with what was read, whenever the file is read. */
  readonly onRead?: (read: InsideFile) => void;
}

/**
 * Remembers what was made of files of a workspace. A file whose stamp is as it was is not read again; one that was read
 * again is judged anew only if its bytes, or the place where it really lies, differ.
 */
export interface FileMemory<T> {
  look(file: string, judging: Judging<T>): T;
  /** True if the file no longer is what was read last, or that cannot be told. One stat. */
  isStale(file: string): boolean;
  /** The next look at the file, or at all, reads. */
  distrust(file?: string): void;
  /** Forgets all but these. */
  keepOnly(files: ReadonlySet<string>): void;
  /** Folders, absolute and real, in which the files lie. */
  folders(): readonly string[];
}

/** An empty memory for files below `root`. */
export function createFileMemory<T>(root: string): FileMemory<T> {
  const files = new Map<string, Remembered<T>>();
  const isFresh = (known: Remembered<T>, file: string): boolean =>
    known.isTrusted && isSettled(known.stamp, known.readAtMs) && isSameStamp(insideStamp(root, file), known.stamp);
  return {
    look(file, { maxBytes, purpose, judge, onRead }) {
      const known = files.get(file);
      if (known !== undefined && known.purpose === purpose && isFresh(known, file)) return known.value;
      let read = readInsideFile(root, file, maxBytes);
      let stampBefore: FileStamp | undefined;
      if (read.kind !== "read") {
        // The stamp of a failure is older than it: a file that is mended in between is seen next time.
        stampBefore = insideStamp(root, file);
        read = readInsideFile(root, file, maxBytes);
      }
      onRead?.(read);
      const content = read.kind === "read" ? hash("sha256", read.bytes) : read.kind;
      const realPath = read.kind === "read" ? read.realPath : undefined;
      // A link may lead to other bytes that are the same, or now to a folder elsewhere, which is "not-a-file" as the one before.
      const isSame = known !== undefined && known.purpose === purpose && known.content === content && known.realPath === realPath;
      const isKept = isSame && (read.kind === "read" || read.kind === "missing");
      const value = isKept ? known.value : judge(read, content);
      files.set(file, {
        // The stamp of what was opened: a file put in its place since then has another one and is seen next time.
        stamp: read.kind === "read" ? read.stamp : stampBefore,
        readAtMs: Date.now(),
        content,
        purpose,
        value,
        realPath,
        isTrusted: read.kind !== "unreadable",
      });
      return value;
    },
    isStale(file) {
      const known = files.get(file);
      return known === undefined || !isFresh(known, file);
    },
    distrust(file) {
      for (const name of file === undefined ? [...files.keys()] : [file]) {
        const known = files.get(name);
        if (known !== undefined) files.set(name, { ...known, isTrusted: false });
      }
    },
    keepOnly(wanted) {
      for (const file of files.keys()) if (!wanted.has(file)) files.delete(file);
    },
    folders: () => [...new Set([...files.values()].flatMap(({ realPath }) => (realPath === undefined ? [] : [dirname(realPath)])))],
  };
}
