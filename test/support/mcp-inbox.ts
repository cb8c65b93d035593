/** Messages of a server as they arrive, from whatever stream, for tests that wait for one of them. */
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";

/** What has arrived, and what is waited for. */
export interface Inbox {
  /** All so far, in order. */
  readonly messages: readonly JsonObject[];
  /** The first message of that kind, once it is there. */
  heard(isWanted: (message: JsonObject) => boolean): Promise<JsonObject>;
  /** The answer with that id, once it is there. */
  answer(id: string | number | null): Promise<JsonObject>;
}

/** An inbox that its owner fills. */
export interface OpenInbox extends Inbox {
  put(text: string): void;
}

/** Makes an empty one. */
export function createInbox(): OpenInbox {
  const messages: JsonObject[] = [];
  const waiting = new Set<() => void>();
  const heard: Inbox["heard"] = async (isWanted) => {
    const { promise, resolve } = Promise.withResolvers<JsonObject>();
    const check = (): void => {
      const found = messages.find(isWanted);
      if (found !== undefined) resolve(found);
    };
    waiting.add(check);
    check();
    return promise.finally(() => waiting.delete(check));
  };
  return {
    messages,
    heard,
    answer: (id) => heard((message) => message.id === id && !("method" in message)),
    put: (text) => {
      const message: unknown = JSON.parse(text);
      if (!isJsonObject(message)) throw new Error("The server sent something that is no message.");
      messages.push(message);
      for (const check of waiting) check();
    },
  };
}

/** The parameters of all notifications of that method so far. */
export function paramsOf({ messages }: Inbox, method: string): readonly JsonObject[] {
  return messages.flatMap((message) => (message.method === method && isJsonObject(message.params) ? [message.params] : []));
}

/** The messages of an event stream as they arrive, and how many comments came between them. */
export interface EventInbox extends Inbox {
  comments(): number;
  /** Settles when the stream is over, in whatever way. */
  readonly ended: Promise<void>;
}

/** Reads an answer that is an event stream. */
export function readEvents(response: Response): EventInbox {
  const inbox = createInbox();
  let comments = 0;
  const read = async (): Promise<void> => {
    let rest = "";
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line.startsWith(":")) comments++;
        if (line.startsWith("data: ")) inbox.put(line.slice("data: ".length));
      }
    }
  };
  // A connection that is cut rejects; that is an end too.
  const ended = read().catch(() => undefined);
  return { ...inbox, comments: () => comments, ended };
}
